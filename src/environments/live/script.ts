import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Redact } from '../../core/redact.ts';
import { compileStep, stepPrefix } from './compile.ts';

/** One executed step of a live attempt. */
export interface ScriptStep {
  step: number;
  code: string;
  success: boolean;
  /** First line of what went wrong. */
  error: string;
  /** Beginning of what the code returned or printed. */
  returned?: string;
  /** Place of the tab in `context.pages()` that `page` stood for after the step, when the step changed it. */
  tab?: number;
}

/** The actions of an attempt as the coach reads them. */
export function actionLog(steps: readonly ScriptStep[]): string {
  return steps
    .map(({ step, code, success, error, returned }) =>
      [`Step ${step}${success ? '' : ` (failed: ${error})`}`, code.slice(0, 2_000), ...(returned ? [`-> ${returned}`] : [])].join('\n'),
    )
    .join('\n\n');
}

export interface LiveScript {
  taskId: string;
  task: Record<string, unknown>;
  startUrls: string[];
  viewport: { width: number; height: number } | null;
  /** `baseURL` of the context. */
  baseUrl?: string | undefined;
  steps: ScriptStep[];
}

/**
 * The attempt as two programs that run again without a model: `script.mjs` for Node, `script.spec.ts` for Playwright Test.
 * Each step keeps its own scope, as it had when it ran; failed steps stay in as comments.
 */
export function liveScript(attempt: LiveScript): { program: string; spec: string } {
  return { program: program(attempt), spec: spec(attempt) };
}

/** Writes both into the run folder. */
export function writeScripts({ folder, attempt, redact }: { folder: string; attempt: LiveScript; redact: Redact }): void {
  const { program, spec } = liveScript(attempt);
  writeFileSync(join(folder, 'script.mjs'), redact(program));
  writeFileSync(join(folder, 'script.spec.ts'), redact(spec));
}

function program({ taskId, task, startUrls, viewport, baseUrl, steps }: LiveScript): string {
  const context = { ...(viewport ? { viewport } : {}), ...(baseUrl ? { baseURL: baseUrl } : {}) };
  return `// Attempt of task ${JSON.stringify(taskId)} as a program: node script.mjs
// HEADED=1 shows the browser; CHROMIUM=/path uses another one; CHROMIUM_ARGS="--no-sandbox" passes switches to it.
import * as playwright from '@playwright/test';

const { chromium, expect } = playwright;
const browser = await chromium.launch({
  headless: !process.env.HEADED,
  args: process.env.CHROMIUM_ARGS?.split(' ') ?? [],
  ...(process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM } : {}),
});
const context = await browser.newContext(${JSON.stringify(context)});
context.setDefaultTimeout(10_000);
let page = await context.newPage();
const task = ${JSON.stringify(task)};
const state = {};
${downloadHelper(steps)}${inputHelper(steps)}
try {
${body({ startUrls, steps, plain: true })}
  console.log('done:', page.url(), await page.title());
} finally {
  await browser.close();
}
`;
}

function spec({ taskId, task, startUrls, viewport, baseUrl, steps }: LiveScript): string {
  const use = { ...(viewport ? { viewport } : {}), ...(baseUrl ? { baseURL: baseUrl } : {}) };
  return `// Attempt of task ${JSON.stringify(taskId)} as a test: npx playwright test script.spec.ts
import { expect, test } from '@playwright/test';

test.use(${JSON.stringify(use)});

test(${JSON.stringify(taskId)}, async ({ page: first, context, browser, playwright }) => {
  let page = first;
  const task = ${JSON.stringify(task)};
  const state: any = {};
${downloadHelper(steps)}${inputHelper(steps)}
${body({ startUrls, steps, plain: false })}
  console.log('done:', page.url(), await page.title());
});
`;
}

/** The harness's \`input\` helper, for attempts that used it: the files lie beside the script. */
function inputHelper(steps: ScriptStep[]): string {
  if (!steps.some(({ code, success }) => success && /\binput\(/.test(code))) return '';
  return `const input = async name => ({
  name,
  mimeType: 'application/octet-stream',
  buffer: (await import('node:fs')).readFileSync(new URL('inputs/' + encodeURIComponent(name), import.meta.url)),
});
`;
}

/** The harness's \`download\` helper, for attempts that used it. */
function downloadHelper(steps: ScriptStep[]): string {
  if (!steps.some(({ code, success }) => success && /\bdownload\.text\b/.test(code))) return '';
  return `const downloads = [];
const collect = tab => tab.on('download', item => downloads.push(item));
context.pages().forEach(collect);
context.on('page', collect);
const download = {
  text: async name => {
    const item = downloads.filter(each => !name || each.suggestedFilename() === name).at(-1);
    return (await import('node:fs')).readFileSync(await item.path(), 'utf8');
  },
};
`;
}

function body({ startUrls, steps, plain }: { startUrls: string[]; steps: ScriptStep[]; plain: boolean }): string {
  const opened = startUrls.map((url, index) => {
    const goto = `.goto(${JSON.stringify(url)}, { waitUntil: 'domcontentloaded' });`;
    return index === 0 ? `  await page${goto}` : `  await (await context.newPage())${goto}`;
  });
  return [...opened, ...steps.map(step => stepText({ ...step, plain }))].join('\n');
}

function stepText({ step, code, success, error, tab, plain }: ScriptStep & { plain: boolean }): string {
  if (!success) return [`\n  // Step ${step} failed: ${error}`, ...code.split('\n').map(line => `  // ${line}`)].join('\n');
  // The code is not indented: that would change what stands inside its template strings.
  const lines = [`\n  // Step ${step}`, `  await (async () => {\n${plain ? withoutTypes({ code, step }) : code}\n  })();`];
  if (tab !== undefined) lines.push(`  page = context.pages()[${tab}] ?? page;`);
  return [...lines, "  await page.waitForLoadState('load', { timeout: 5_000 }).catch(() => {});"].join('\n');
}

function withoutTypes({ code, step }: { code: string; step: number }): string {
  const compiled = compileStep({ code, step });
  return compiled.ok ? compiled.js.slice(stepPrefix.length, -'\n})'.length) : code;
}
