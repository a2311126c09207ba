import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import type { JSONReport, JSONReportSpec, JSONReportSuite } from '@playwright/test/reporter';
import { type AttemptResult, attemptAttachment } from '../../src/core/attempt-result.ts';

const repository = join(import.meta.dirname, '..', '..');

/** A test of a tiny project, as the JSON reporter tells it. */
export interface TestOutcome {
  title: string;
  project: string;
  status: string;
  /** Error messages, colours removed. */
  errors: string[];
  attempts: AttemptResult[];
  attachments: { name: string; contentType: string; path?: string; body?: string }[];
  steps: string[];
}

export interface ProjectRun {
  exitCode: number | null;
  stdout: string;
  tests: TestOutcome[];
  folder: string;
}

const config = `
export default {
  testDir: '.',
  outputDir: './test-results',
  workers: 1,
  reporter: [['json', { outputFile: 'report.json' }]],
};
`;

/** Makes a project in a folder of its own: the plugin and Playwright are found as after an install. */
export function makeProject(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-project-'));
  const all = { 'package.json': '{ "type": "module" }', 'playwright.config.ts': config, ...files };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  mkdirSync(join(folder, 'node_modules', '@playwright'), { recursive: true });
  symlinkSync(repository, join(folder, 'node_modules', 'playwright-webwright'));
  symlinkSync(join(repository, 'node_modules', '@playwright', 'test'), join(folder, 'node_modules', '@playwright', 'test'));
  return folder;
}

/** Runs the real runner on a tiny project and returns what came of it. */
export async function runProject({
  files = {},
  folder = makeProject(files),
  args = [],
  env = {},
  onOutput = () => {},
  within = [],
}: {
  files?: Record<string, string>;
  folder?: string;
  args?: string[];
  env?: Record<string, string | undefined>;
  /** Sees each piece of output; what it writes is typed at the terminal of the run. */
  onOutput?: (chunk: string, type: (text: string) => void) => void;
  /** A program and its arguments that start the runner, e.g. a sandbox with a small disk. */
  within?: string[];
}): Promise<ProjectRun> {
  const cli = join(repository, 'node_modules', '@playwright', 'test', 'cli.js');
  const { TEST_WORKER_INDEX: _, TEST_PARALLEL_INDEX: __, ...inherited } = process.env;
  const [program, ...rest] = [...within, process.execPath, cli, 'test', ...args] as [string, ...string[]];
  const child = spawn(program, rest, { cwd: folder, env: { ...inherited, FORCE_COLOR: '0', ...env } });
  let stdout = '';
  child.stdout.on('data', chunk => {
    stdout += chunk;
    onOutput(String(chunk), text => child.stdin.write(text));
  });
  child.stderr.on('data', chunk => (stdout += chunk));
  const exitCode = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { exitCode, stdout, folder, tests: readReport(folder) };
}

function readReport(folder: string): TestOutcome[] {
  let report: JSONReport;
  try {
    report = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  } catch {
    return [];
  }
  return report.suites.flatMap(specsOf).flatMap(spec =>
    spec.tests.flatMap(({ results, projectName }) => {
      const result = results.at(-1);
      if (!result) return []; // listed, not run
      const attachments = result.attachments as TestOutcome['attachments'];
      return {
        title: spec.title,
        project: projectName,
        status: result.status ?? 'unknown',
        errors: result.errors.map(error => stripVTControlCharacters(error.message ?? '')),
        attempts: attachments
          .filter(({ name }) => name === attemptAttachment)
          .map(({ body = '' }) => JSON.parse(Buffer.from(body, 'base64').toString()) as AttemptResult),
        attachments,
        steps: (result.steps ?? []).map(step => step.title),
      };
    }),
  );
}

function specsOf(suite: JSONReportSuite): JSONReportSpec[] {
  return [...suite.specs, ...(suite.suites ?? []).flatMap(specsOf)];
}
