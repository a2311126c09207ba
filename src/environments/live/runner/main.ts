/** Entry of the runner child: attaches to the browser of the test and runs the code of one step after the other. */
import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { constants, Script } from 'node:vm';
import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { ToChild } from '../protocol.ts';
import { askHarness } from './ask-harness.ts';
import { openChannel, print } from './channel.ts';
import { describeError, describeValue } from './describe.ts';
import { shareDialogs } from './dialogs.ts';
import { guidOf, playwrightInScope, refuseTakeover } from './scope.ts';
import { startWatchdog } from './watchdog.ts';

type Playwright = typeof import('@playwright/test');
const [, , corePath = '', testPath = ''] = process.argv;
const scope = globalThis as unknown as Record<string, unknown>;
let context: BrowserContext;
let currentPage: Page;
let dialogs: ReturnType<typeof shareDialogs> | undefined;
let expectLoaded: Promise<unknown> | undefined;
let running = { file: 'step-0.ts', source: [] as string[] };
const strays: string[] = [];
/** The code has said in this step which tab is `page`. */
let chosen = false;

printAtOnce();
const core = ((await import(pathToFileURL(corePath).href)) as { default: Playwright }).default;
const send = openChannel({ onMessage: receive });
const harness = askHarness({ send });
send({ type: 'loaded' });
// Its thread would take a processor from the loading of Playwright.
startWatchdog();
setTimeout(() => {
  if (!context) void loadExpect();
}, 50);

function receive(message: ToChild): void {
  switch (message.type) {
    case 'start':
      void start(message).catch(error => send({ type: 'not-ready', error: String((error as Error).message) }));
      break;
    case 'run':
      void run(message);
      break;
    case 'dialog':
      dialogs?.deliver(message, anyPage(message.pageGuid));
      break;
    case 'dialog-expired':
      dialogs?.expire(message.dialog);
      break;
    case 'answer':
      harness.answer(message);
      break;
  }
}

async function start(options: Extract<ToChild, { type: 'start' }>): Promise<void> {
  const browser: Browser = await core.chromium.connect(options.endpoint);
  // The guard has ended the connection, or the browser is gone: the next step needs a new process.
  browser.on('disconnected', () => process.exit(1));
  const found = browser.contexts().find(candidate => guidOf(candidate) === options.contextGuid);
  if (!found) throw new Error('the context of the test is not in this browser');
  context = found;
  const hidden = new Set(options.hiddenPageGuids);
  const all = context.pages.bind(context);
  context.pages = () => all().filter(page => !hidden.has(guidOf(page)));
  context.setDefaultTimeout(options.actionTimeoutMs);
  context.setDefaultNavigationTimeout(options.navigationTimeoutMs);
  const own = pages()[0];
  if (!own) throw new Error('the context of the test has no page');
  currentPage = own;
  refuseTakeover({ browser, context, page: pages().find(page => guidOf(page) === options.ownPageGuid) ?? own });
  dialogs = shareDialogs({ page: own, context, send });
  Object.assign(scope, {
    browser,
    context,
    task: options.task,
    state: {},
    download: harness.download,
    recall: harness.recall,
    input: harness.input,
    imageQa: harness.imageQa,
    playwright: playwrightInScope(core),
  });
  Object.defineProperty(scope, 'page', {
    get: () => currentPage,
    set: (value: Page) => {
      currentPage = value;
      chosen = true;
    },
  });
  followFront(own);
  send({ type: 'ready' });
  setTimeout(loadExpect, 0);
}

/** `page.bringToFront()` is how Playwright's users choose a tab, so it makes that tab `page`. */
function followFront(own: Page): void {
  const prototype = Object.getPrototypeOf(own) as Page;
  const original = prototype.bringToFront;
  prototype.bringToFront = function (this: Page) {
    currentPage = this;
    chosen = true;
    return original.call(this);
  };
}

/** Playwright's assertions take longer to load than the rest: a spare child does it while it waits, a step that names them waits for it. */
function loadExpect(): Promise<unknown> {
  expectLoaded ??= import(pathToFileURL(testPath).href).then(module => {
    scope['expect'] = (module as { default: Playwright }).default.expect;
  });
  expectLoaded.catch(() => {});
  return expectLoaded;
}

async function run({ id, js, step, columnOffset, pageGuid }: Extract<ToChild, { type: 'run' }>): Promise<void> {
  running = { file: `step-${step}.ts`, source: js.slice(-columnOffset).split('\n') };
  strays.length = 0;
  let error: string | undefined;
  let value: string | undefined;
  try {
    currentPage = await pageOf(pageGuid);
    chosen = false;
    if (js.includes('expect')) await loadExpect();
    const script = new Script(js, {
      filename: running.file,
      columnOffset,
      importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
    });
    value = describeValue(await (script.runInThisContext() as () => Promise<unknown>)());
    // A rejection that nothing awaits is known one turn of the event loop later.
    await new Promise(resolve => setImmediate(resolve));
    if (strays.length > 0) error = `A promise was not awaited and failed: ${strays.join('\n')}`;
  } catch (thrown) {
    error = describeError({ error: thrown, ...running });
  }
  const guid = pageInUse();
  print(`\u001e${id}\u001e`);
  send({
    type: 'done',
    id,
    ...(error === undefined ? {} : { error }),
    ...(value === undefined ? {} : { value }),
    // Also when it is the one before: a tab that opened meanwhile is not taken then.
    ...(guid && (chosen || guid !== pageGuid) ? { pageGuid: guid } : {}),
  });
}

function pages(): Page[] {
  return context.pages();
}

/** A tab of any context, also of one that the code has opened. */
function anyPage(guid: string): Page | undefined {
  const contexts = context.browser()?.contexts() ?? [context];
  return contexts.flatMap(each => each.pages()).find(page => guidOf(page) === guid);
}

function pageInUse(): string | undefined {
  return pages().includes(currentPage) ? guidOf(currentPage) : undefined;
}

/** The harness may know of a tab a moment before this process does. */
async function pageOf(guid: string): Promise<Page> {
  for (let tries = 0; tries < 200; tries += 1) {
    const page = pages().find(candidate => guidOf(candidate) === guid);
    if (page) return page;
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  throw new Error('the current tab is gone; choose another: page = context.pages()[0]');
}

function printAtOnce(): void {
  const stdout = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      print(chunk);
      done();
    },
  });
  globalThis.console = new Console({ stdout, stderr: stdout, colorMode: false, inspectOptions: { depth: 4, breakLength: 120 } });
  for (const stream of [process.stdout, process.stderr]) {
    stream.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
      print(chunk);
      const done = rest.at(-1);
      if (typeof done === 'function') done();
      return true;
    }) as typeof stream.write;
  }
}
