import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import { askBroker } from './ask-broker.ts';
import { guidOf } from './page-guid.ts';
import { fileSlug } from './run-names.ts';
import { openByItself, openThroughHarness } from './script-browser.ts';
import { isFinalScript, runBase, type StartedRun, startRun } from './start-run.ts';
import { activeResources, whenIdle } from './when-idle.ts';

/** What {@link open} gives. */
export interface Opened {
  page: Page;
  context: BrowserContext;
  browser: Browser;
}

export interface OpenOptions {
  /** Whether this program is the final script; by default, whether it is called `final_script.mjs`. */
  final?: boolean;
  /**
   * `previous`: begins with the cookies and the local storage that the last run left, instead of none; for a run that shows what an earlier one has
   * ordered. Throws when there was no run. Without the harness it begins with none.
   */
  session?: 'previous';
}

interface Session {
  browser: Browser;
  page: Page;
  run: StartedRun | undefined;
  /** Where exploration puts its screenshots. */
  exploration: string;
  /** Step of the attempt; null without a harness. */
  attemptStep: number | null;
}

let session: Session | undefined;
let steps = 0;
const names = new Set<string>();

/**
 * A page in a fresh context, viewport 1280×1800, at `url` when one is given. In `final_script.mjs` it also begins the next
 * `final_runs/run_<n>/`, with a copy of the script, its log and its screenshots. Called again, it opens another fresh context in the same run.
 * The script needs to close nothing: it ends when it has nothing left to do.
 *
 * @example
 * import { answer, open, shot, step } from 'playwright-webwright/script';
 * const { page } = await open('https://shop.example');
 * step('sort by price');
 * await page.getByLabel('Sort by').selectOption('price');
 * await shot('sorted');
 * answer('The cheapest is the Kestrel, £24.90.');
 */
export async function open(url?: string | OpenOptions, options: OpenOptions = typeof url === 'object' ? url : {}): Promise<Opened> {
  const script = process.argv[1];
  const final = options.final ?? isFinalScript(script);
  const workspace = process.env.WORKSPACE_DIR;
  const baseline = activeResources();
  const run = session?.run ?? (final && script ? beginRun({ script, workspace }) : undefined);
  const socket = process.env.BROWSER_ENDPOINT;
  const opened = ownBrowser()
    ? await openByItself({ launched: session?.browser, socket, run: run?.run })
    : await openThroughHarness({ socket: socket!, run: run?.run, session: options.session, connected: session?.browser });
  const { browser, page } = opened;
  if (!session) endWhenIdle({ browser, baseline });
  session = { browser, page, run, exploration: join(workspace ?? process.cwd(), 'screenshots'), attemptStep: opened.step };
  if (typeof url === 'string') await page.goto(url, { waitUntil: 'domcontentloaded' });
  return { page, context: page.context(), browser };
}

/**
 * Begins step n of the script (1, 2, 3 …): writes `step <n> action: <text>` to the log and prints it. Screenshots carry the number of
 * their step.
 */
export function step(text: string): void {
  steps += 1;
  say(`step ${steps} action: ${oneLine(text)}`);
}

/**
 * Writes the values a reusable script runs with, `step 0 params: colour="blue" max=25`, to the log and prints them. Called right after
 * {@link open}, it makes the first line of the log (Webwright's crafted CLI).
 */
export function params(values: Record<string, unknown>): void {
  const shown = Object.entries(values).map(([name, value]) => `${name}=${JSON.stringify(value) ?? 'undefined'}`);
  say(`step 0 params: ${shown.join(' ')}`);
}

/**
 * A screenshot of the viewport, as proof of a state: `final_execution_<step>_<name>.png` in the run's folder, or `screenshots/` in
 * exploration. Under the harness it is taken by the harness, which keeps it as evidence. Of the page opened last, or of `page`.
 * Returns the path of the image.
 */
export async function shot(name: string, { page }: { page?: Page } = {}): Promise<string> {
  const { run, exploration, attemptStep, page: opened } = current();
  const shown = page ?? opened;
  const prefix = run ? `final_execution_${steps}_` : attemptStep === null ? '' : `step_${String(attemptStep).padStart(4, '0')}_`;
  const folder = run?.screenshots ?? exploration;
  const file = freeName({ folder, base: `${prefix}${fileSlug(name)}`, overwrite: run === undefined });
  const png = await picture({ page: shown, name, run: run?.run, file });
  mkdirSync(folder, { recursive: true });
  const path = join(folder, file);
  writeFileSync(path, png);
  console.log(`screenshot: ${relative(process.env.WORKSPACE_DIR ?? process.cwd(), path)} (${shown.url()})`);
  return path;
}

/**
 * Prints what is on a page: URL, title and its structure, long lists folded, at most 12,000 characters. Of the page opened last, or of `page`.
 *
 * @example
 * await look();
 */
export async function look(page: Page = current().page): Promise<void> {
  const { lookAt } = await import('./script-look.ts');
  console.log(await lookAt(page));
}

/** States the result: writes `Final Response: <text>` to the log and prints it. */
export function answer(text: string): void {
  say(`Final Response: ${String(text).trim()}`);
}

function current(): Session {
  if (!session) throw new Error("call open() first: const { page } = await open('https://…')");
  return session;
}

function beginRun({ script, workspace }: { script: string; workspace: string | undefined }): StartedRun {
  const run = startRun({ script, base: runBase({ script: resolve(script), workspace }) });
  console.log(`run: ${relative(process.env.WORKSPACE_DIR ?? process.cwd(), run.folder)}`);
  process.on('uncaughtExceptionMonitor', error =>
    ifPossible(() => appendFileSync(run.log, `error: ${oneLine(error?.message ?? String(error))}\n`)),
  );
  process.on('exit', code => ifPossible(() => writeFileSync(run.exitCode, `${code}\n`)));
  return run;
}

function endWhenIdle({ browser, baseline }: { browser: Browser; baseline: Map<string, number> }): void {
  const withBrowser = activeResources();
  for (const [kind, count] of baseline) withBrowser.set(kind, Math.max(count, withBrowser.get(kind) ?? 0));
  whenIdle({ browser, baseline: withBrowser })
    .then(() => browser.close())
    .catch(() => {});
}

function say(line: string): void {
  if (session?.run) appendFileSync(session.run.log, `${line}\n`);
  console.log(line);
}

async function picture({ page, name, run, file }: { page: Page; name: string; run: number | undefined; file: string }): Promise<Buffer> {
  if (ownBrowser()) return page.screenshot();
  const reply = await askBroker({
    socket: process.env.BROWSER_ENDPOINT!,
    name: 'shot',
    body: { page: guidOf(page), name, file, ...(run !== undefined && { run }) },
  });
  return Buffer.from(String(reply.png), 'base64');
}

/** Without a harness, or when its mode says so, a script has a browser of its own. */
function ownBrowser(): boolean {
  return process.env.BROWSER_ENDPOINT === undefined || process.env.BROWSER_MODE === 'launch';
}

function freeName({ folder, base, overwrite }: { folder: string; base: string; overwrite: boolean }): string {
  for (let number = 1; ; number += 1) {
    const file = number === 1 ? `${base}.png` : `${base}_${number}.png`;
    if (names.has(file) || (!overwrite && existsSync(join(folder, file)))) continue;
    names.add(file);
    return file;
  }
}

/** At the end of a process there is nobody left to tell; a failure here must not hide the error that ended it. */
function ifPossible(write: () => void): void {
  try {
    write();
  } catch {
    // the run folder is gone
  }
}

function oneLine(text: string): string {
  return String(text).replace(/\s+/g, ' ').trim();
}
