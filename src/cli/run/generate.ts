import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReporterDescription } from '@playwright/test';
import type { TaskInput } from '../../core/task.ts';
import type { BrowserMode } from '../../environments/browser/modes.ts';

export interface GeneratedRun {
  /** Config file for Playwright Test. It lies in the user's folder, because Playwright takes relative paths from there. */
  configFile: string;
  /** Folder of the spec and of everything the run leaves behind. */
  folder: string;
}

export interface GenerateOptions {
  task: TaskInput;
  environment: 'live' | 'workspace';
  cwd: string;
  /** Folder of this run, under the output folder. */
  folder: string;
  runId: string;
  /** Our compiled doors, `dist/fixtures`. */
  fixtures: string;
  /** Where its reports go, as Playwright takes it. */
  reporter: ReporterDescription[];
  /** Playwright config in `cwd` whose `use`, `webServer` and global set-up apply. */
  userConfig: string | undefined;
  headed: boolean;
  /** Undefined: as the user's config says. */
  browserMode: BrowserMode | undefined;
  slowMoMs: number;
}

/** Writes the spec that holds one task, and a Playwright config that runs nothing else. */
export function generateRun({
  task,
  environment,
  cwd,
  folder,
  runId,
  fixtures,
  reporter,
  userConfig,
  headed,
  browserMode,
  slowMoMs,
}: GenerateOptions): GeneratedRun {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'task.json'), `${JSON.stringify(task, null, 2)}\n`);
  writeFileSync(join(folder, 'task.spec.mjs'), specText({ environment, fixtures }));
  const configFile = join(cwd, `webwright-${runId}.config${userConfig ? extname(userConfig) : '.mjs'}`);
  writeFileSync(configFile, configText({ folder, reporter, userConfig, headed, browserMode, slowMoMs }), { flag: 'wx' });
  return { configFile, folder };
}

function specText({ environment, fixtures }: Pick<GenerateOptions, 'environment' | 'fixtures'>): string {
  const door = JSON.stringify(pathToFileURL(join(fixtures, 'index.js')).href);
  return `import { readFileSync } from 'node:fs';
import { defineTasks, test, workspaceTest } from ${door};

const task = JSON.parse(readFileSync(new URL('./task.json', import.meta.url), 'utf8'));
defineTasks([task], { test: ${environment === 'live' ? 'test' : 'workspaceTest'} });
`;
}

/**
 * The config file, in the same module format as the user's (its extension), so that Playwright loads both in the same way.
 */
function configText({
  folder,
  reporter,
  userConfig,
  headed,
  browserMode,
  slowMoMs,
}: Omit<GenerateOptions, 'task' | 'environment' | 'cwd' | 'runId' | 'fixtures'>): string {
  const isCommonJs = /\.c[tj]s$/.test(userConfig ?? '');
  const specifier = userConfig && JSON.stringify(`./${basename(userConfig)}`);
  const load = isCommonJs ? `const loaded = require(${specifier});` : `import loaded from ${specifier};`;
  return `${specifier ? `${load}\nconst user = loaded.default ?? loaded;` : 'const user = {};'}

const { globalSetup, globalTeardown, webServer, tsconfig, use = {} } = user;
const kept = { globalSetup, globalTeardown, webServer, tsconfig };
const slowMo = ${slowMoMs > 0 ? `{ slowMo: ${slowMoMs} }` : '{}'};

${isCommonJs ? 'module.exports =' : 'export default'} {
  ...Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined)),
  testDir: ${JSON.stringify(folder)},
  testMatch: 'task.spec.mjs',
  outputDir: ${JSON.stringify(join(folder, 'test-results'))},
  workers: 1,
  retries: 0,
  reporter: ${JSON.stringify(reporter)},
  use: { ...use, launchOptions: { ...use.launchOptions, ...slowMo }${headed ? ', headless: false' : ''}${browserMode ? `, browserMode: '${browserMode}'` : ''} },
};
`;
}
