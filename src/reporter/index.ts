import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import type { FullConfig, FullResult, Reporter, Suite, TestCase, TestResult, TestStep } from '@playwright/test/reporter';
import { type EnterDesk, openEnterDesk } from './enter-desk.ts';
import { type Entry, entriesOf } from './entries.ts';
import { htmlReportFolder, linksOf } from './links.ts';
import { pageOf } from './page.ts';
import { groupsOf } from './summary.ts';
import { stepLine, summaryLines } from './terminal.ts';
import { completeUnfinished } from './unfinished.ts';

/** Options of the benchmark reporter, the second element of its entry in `reporter: [['playwright-webwright/reporter', { … }]]`. */
export interface BenchmarkReporterOptions {
  /** Where `results.jsonl` and `index.html` go, relative to the config file. Default `reports/benchmark`. */
  outputFolder?: string;
  /** Print a line per step of an agent. Default: unless the list reporter is redrawing its lines on a terminal. */
  steps?: boolean;
  /**
   * Throw at the end of a run that did not pass, which is the only thing that makes `merge-reports` exit with 1. Default false; for merge configs.
   */
  throwWhenFailed?: boolean;
}

/**
 * The benchmark reporter: a line per step while agents work, one screen at the end, and `reports/benchmark/` with `results.jsonl` (an
 * attempt a line) and `index.html`. It works on live runs and on merged blob reports alike. A default export, since Playwright demands one.
 */
export default class BenchmarkReporter implements Reporter {
  readonly #options: BenchmarkReporterOptions;
  #config: FullConfig | undefined;
  #suite: Suite | undefined;
  #enter: EnterDesk | undefined;

  constructor(options: BenchmarkReporterOptions = {}) {
    this.#options = options;
  }

  printsToStdio(): boolean {
    // Playwright then adds its own terminal reporter where the user configured none: ours prints no test results.
    return false;
  }

  onBegin(config: FullConfig, suite: Suite): void {
    this.#config = config;
    this.#suite = suite;
    if (suite.allTests().length === 0) return;
    this.#enter = openEnterDesk();
    // Workers are started later, with this environment.
    process.env['WEBWRIGHT_ENTER'] = this.#enter.address;
  }

  async onExit(): Promise<void> {
    this.#enter?.close();
  }

  onTestEnd(_test: TestCase, result: TestResult): void {
    completeUnfinished({ result, project: this.#project() });
  }

  onStepEnd(test: TestCase, _result: TestResult, step: TestStep): void {
    if (!(this.#options.steps ?? !redrawsLines(this.#config))) return;
    const line = stepLine({ test, step });
    if (line !== undefined) console.log(line);
  }

  onEnd({ status, startTime }: FullResult): void {
    if (!this.#config || !this.#suite) return;
    // Listing tests runs none: what an earlier run left behind stays.
    if (this.#suite.allTests().every(test => test.results.length === 0)) return;
    const project = this.#project();
    const folder = resolve(project, this.#options.outputFolder ?? 'reports/benchmark');
    const report = htmlReportFolder({ config: this.#config, project });
    const entries = entriesOf(this.#suite);
    const groups = groupsOf(entries);
    mkdirSync(folder, { recursive: true });
    write({ path: join(folder, 'results.jsonl'), text: entries.map(resultLine).join('') });
    const page = pageOf({
      groups,
      startedAt: startTime.toISOString(),
      linksOf: entry => linksOf({ entry, project, page: folder, report }),
    });
    write({ path: join(folder, 'index.html'), text: page });
    for (const line of summaryLines({ groups, page: relative(process.cwd(), join(folder, 'index.html')) })) console.log(line);
    // By name: merging gives tests of the same id new ones.
    const names = this.#suite.allTests().map(test => [...test.titlePath(), test.repeatEachIndex].join('\n'));
    const mixed = new Set(names).size < names.length;
    if (mixed)
      console.log(
        '  wrong: tests are there more than once, since the blob folder holds shards of different runs; empty it and run them again',
      );
    // Only the exit code comes of it: Playwright prints nothing of what a reporter throws.
    if (this.#options.throwWhenFailed && (mixed || status !== 'passed')) throw new Error(`the merged run ${status}`);
  }

  /** The folder of the config file: run folders and reports are relative to it. */
  #project(): string {
    return this.#config?.configFile ? dirname(this.#config.configFile) : process.cwd();
  }
}

/** An entry as a line of `results.jsonl`: an AttemptResult, where there is one, with the test it belongs to. */
function resultLine({ attempt, test, ...entry }: Entry): string {
  return `${JSON.stringify({ schemaVersion: 1, ...attempt, ...entry, test })}\n`;
}

function redrawsLines(config: FullConfig | undefined): boolean {
  const { stdout } = process;
  const forced = process.env['PLAYWRIGHT_FORCE_TTY'];
  const terminal = forced === undefined ? stdout.isTTY : !['0', 'false'].includes(forced);
  return Boolean(terminal) && (config?.reporter.some(([name]) => name === 'list' || name === 'line') ?? false);
}

function write({ path, text }: { path: string; text: string }): void {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
}
