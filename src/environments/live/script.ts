import { compileStep, stepPrefix } from './compile.ts';

/** One executed step of a live attempt. */
export interface ScriptStep {
  step: number;
  code: string;
  success: boolean;
  /** First line of what went wrong. */
  error: string;
  /** Place of the tab in `context.pages()` that `page` stood for after the step, when the step changed it. */
  tab?: number;
}

/** The actions of an attempt as the coach reads them. */
export function actionLog(steps: readonly ScriptStep[]): string {
  return steps
    .map(({ step, code, success, error }) => `Step ${step}${success ? '' : ` (failed: ${error})`}\n${code.slice(0, 2_000)}`)
    .join('\n\n');
}

export interface LiveScript {
  taskId: string;
  task: Record<string, unknown>;
  startUrls: string[];
  viewport: { width: number; height: number } | null;
  steps: ScriptStep[];
}

/**
 * The attempt as two programs that run again without a model: `script.mjs` for Node, `script.spec.ts` for Playwright Test.
 * Each step keeps its own scope, as it had when it ran; failed steps stay in as comments.
 */
export function liveScript(attempt: LiveScript): { program: string; spec: string } {
  return { program: program(attempt), spec: spec(attempt) };
}

function program({ taskId, task, startUrls, viewport, steps }: LiveScript): string {
  const context = viewport ? `{ viewport: ${JSON.stringify(viewport)} }` : '';
  return `// Attempt of task ${JSON.stringify(taskId)} as a program: node script.mjs
// HEADED=1 shows the browser; CHROMIUM=/path uses another one; CHROMIUM_ARGS="--no-sandbox" passes switches to it.
import { chromium, expect } from '@playwright/test';

const browser = await chromium.launch({
  headless: !process.env.HEADED,
  args: process.env.CHROMIUM_ARGS?.split(' ') ?? [],
  ...(process.env.CHROMIUM ? { executablePath: process.env.CHROMIUM } : {}),
});
const context = await browser.newContext(${context});
let page = await context.newPage();
const task = ${JSON.stringify(task)};
const state = {};

try {
${body({ startUrls, steps, plain: true })}
  console.log('done:', page.url());
} finally {
  await browser.close();
}
`;
}

function spec({ taskId, task, startUrls, viewport, steps }: LiveScript): string {
  return `// Attempt of task ${JSON.stringify(taskId)} as a test: npx playwright test script.spec.ts
import { expect, test } from '@playwright/test';
${viewport ? `\ntest.use({ viewport: ${JSON.stringify(viewport)} });\n` : ''}
test(${JSON.stringify(taskId)}, async ({ page: first, context, browser }) => {
  let page = first;
  const task = ${JSON.stringify(task)};
  const state: any = {};

${body({ startUrls, steps, plain: false })}
});
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
  if (!success) {
    const lines = code.split('\n').map(line => `  // ${line}`);
    return [`\n  // Step ${step} failed: ${error}`, ...lines, ...selected(tab)].join('\n');
  }
  // The code is not indented: that would change what stands inside its template strings.
  return [`\n  // Step ${step}`, `  await (async () => {\n${plain ? withoutTypes({ code, step }) : code}\n  })();`, ...selected(tab)].join(
    '\n',
  );
}

function selected(tab: number | undefined): string[] {
  return tab === undefined ? [] : [`  page = context.pages()[${tab}];`];
}

function withoutTypes({ code, step }: { code: string; step: number }): string {
  const compiled = compileStep({ code, step });
  return compiled.ok ? compiled.js.slice(stepPrefix.length, -'\n})'.length) : code;
}
