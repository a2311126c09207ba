import { rmSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ReporterDescription } from '@playwright/test';
import { parseTask } from '../core/task.ts';
import { assertBrowserMode } from '../environments/browser/modes.ts';
import { configFlag, loadStack } from './load-stack.ts';
import { UsageError } from './parse-flags.ts';
import { generateRun } from './run/generate.ts';
import { exitCodeOf, readFinishedRun } from './run/result.ts';
import { compiledFixtures, startRunner } from './run/start-runner.ts';
import { findUserConfig } from './run/user-config.ts';
import { exitCodes, listFlag, textFlag, type Verb } from './verb.ts';

/** `webwright run`: one task through Playwright Test, on a spec made for it. There is no second runner. */
export const run: Verb = {
  summary: 'runs one task in Playwright Test',
  usage: '-t TASK [-c SPEC]… [--start-url URL]… [--task-id ID] [-o FOLDER] [--headed] [--debug] [--browser-mode MODE]',
  details: [
    '-t, --task TEXT    what is to be done',
    '-c, --config SPEC  a YAML file, the name of a shipped one, or key=value; repeat it, later ones win',
    '                   (environment.environment_class says where: workspace, or live with -c local_browser.yaml)',
    '--start-url URL    page that is open when it starts; may be repeated',
    '--task-id ID       default: adhoc',
    '-o FOLDER          where run folders are made; default: run.output_dir',
    '--headed           shows the browser',
    '--browser-mode M   runner, local_launch, local_persistent, local_cdp or browserbase; default: as the Playwright config says',
    '--debug            shows the browser, slowed to 250 ms per action',
  ],
  flags: {
    ...configFlag,
    task: { type: 'string', short: 't' },
    'task-id': { type: 'string' },
    'start-url': { type: 'string', multiple: true },
    'output-dir': { type: 'string', short: 'o' },
    headed: { type: 'boolean' },
    debug: { type: 'boolean' },
    'browser-mode': { type: 'string' },
  },
  positionals: { min: 0, max: 0 },
  async run({ flags, io }) {
    const specs = listFlag(flags['config']);
    const { config } = loadStack({ specs, io });
    const instruction = textFlag(flags['task']) ?? config.run.task;
    if (!instruction)
      throw new UsageError({
        what: 'webwright run needs a task',
        seen: 'no -t and no run.task',
        remedy: "webwright run -t 'Find the cheapest blue kettle'",
      });
    const urls = listFlag(flags['start-url']);
    const outputDir = resolve(io.cwd, textFlag(flags['output-dir']) ?? config.run.output_dir);
    const task = parseTask({
      id: textFlag(flags['task-id']) ?? config.run.task_id ?? 'adhoc',
      instruction,
      startUrls: urls.length > 0 ? urls : config.run.start_urls,
      config: [...specs, `run.output_dir=${JSON.stringify(outputDir)}`],
    });
    const debug = flags['debug'] === true;
    const browserMode = textFlag(flags['browser-mode']);
    if (browserMode !== undefined) assertBrowserMode(browserMode);
    const runId = `run-${Date.now().toString(36)}-${process.pid}`;
    const userConfig = findUserConfig(io.cwd);
    io.print(
      userConfig
        ? `Your ${relative(io.cwd, userConfig)} applies: its use, webServer and global set-up; not its projects.`
        : 'No Playwright config here: defaults apply.',
    );
    io.print(`At most ${budgetLine(config)}.`);
    const fixtures = compiledFixtures(io);
    const { reporters } = (await import(pathToFileURL(join(fixtures, 'config.js')).href)) as {
      reporters: (options: { folder: string }) => ReporterDescription[];
    };
    const generated = generateRun({
      task,
      environment: environmentOf(config.environment.environment_class),
      cwd: io.cwd,
      folder: join(outputDir, runId),
      runId,
      fixtures,
      reporter: reporters({ folder: join(outputDir, runId, 'report') }),
      userConfig,
      headed: debug || flags['headed'] === true,
      browserMode,
      slowMoMs: debug ? 250 : 0,
    });
    const runnerCode = await startRunner({
      configFile: generated.configFile,
      env: { WEBWRIGHT_RUN_ID: runId, WEBWRIGHT_COMMAND: 'run' },
      io,
    }).finally(() => rmSync(generated.configFile, { force: true }));
    if (io.signal.aborted) return exitCodes.interrupted;
    const finished = readFinishedRun(generated.folder);
    if (finished) {
      io.print(`${finished.outcome}: ${finished.reason}`);
      if (finished.finalResponse) io.print(finished.finalResponse);
      io.print(`run folder: ${relative(io.cwd, finished.folder) || '.'}`);
    } else io.warn('The attempt left no result; the reason stands above.');
    return exitCodeOf({ run: finished, runnerCode });
  },
};

function budgetLine({
  agent,
  budget,
}: {
  agent: { step_limit: number; time_limit_seconds: number };
  budget: { usd: number | null; tokens: number | null; minutes: number | null };
}): string {
  const minutes = Math.min(agent.time_limit_seconds / 60, budget.minutes ?? Number.POSITIVE_INFINITY);
  return [
    `${agent.step_limit} turns`,
    `${Math.round(minutes * 10) / 10} minutes`,
    ...(budget.tokens === null ? [] : [`${budget.tokens} tokens`]),
    ...(budget.usd === null ? [] : [`$${budget.usd}`]),
  ].join(', ');
}

/** Whose `test` runs it: that of live mode serves the text route too. */
function environmentOf(environmentClass: string): 'live' | 'workspace' {
  if (environmentClass === 'live' || environmentClass === 'workspace') return environmentClass;
  if (environmentClass === 'text') return 'live';
  throw new UsageError({
    what: 'webwright run knows the live, the text and the workspace environment',
    seen: `environment.environment_class: ${environmentClass}`,
    remedy: 'write a test for it: playwright-webwright in your own spec',
  });
}
