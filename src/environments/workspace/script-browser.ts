import type { Browser, BrowserContext, LaunchOptions, Page } from '@playwright/test';
import { loadChromium } from '../playwright-packages.ts';
import { askBroker } from './ask-broker.ts';
import { guidOf } from './page-guid.ts';
import { viewport } from './viewport.ts';

/** Loaded with the module: every script that imports it opens a browser. */
const chromium = await loadChromium(import.meta.url);

/** A script's browser: the harness's, reached through BROWSER_ENDPOINT, or one of its own. */
export interface ScriptBrowser {
  browser: Browser;
  page: Page;
  /** Step of the attempt; null without a harness. */
  step: number | null;
}

/** A page in a context that the harness makes and watches. */
export async function openThroughHarness({
  socket,
  run,
  session,
  connected,
}: {
  socket: string;
  run: number | undefined;
  session: 'previous' | undefined;
  connected: Browser | undefined;
}): Promise<ScriptBrowser> {
  const reply = await askBroker({ socket, name: 'browser', body: { ...(run !== undefined && { run }), ...(session && { session }) } });
  const browser = connected ?? (await chromium.connect(String(reply.endpoint)));
  const page = await pageByGuid({ browser, guid: String(reply.page) });
  const context = page.context();
  // Without this, a dialog nobody listens to would stay open until the harness gives up on it.
  context.on('dialog', dialog => {
    if (listeners(context) + listeners(dialog.page()) <= 1) dialog.dismiss().catch(() => {});
  });
  leaveOpen({ page, context });
  return { browser, page, step: Number(reply.step) };
}

/**
 * Scripts like to end with `page.close()` or `context.close()`. The harness still looks at the last state of the page, and closes
 * the context itself; so these do nothing as long as the page is the only one.
 */
function leaveOpen({ page, context }: { page: Page; context: BrowserContext }): void {
  const closePage = page.close.bind(page);
  page.close = async options => {
    if (context.pages().length > 1) await closePage(options);
  };
  context.close = async () => {};
}

/** A page in a Chromium that this process starts and that ends with it: how a person runs a final script, and BROWSER_MODE=launch. */
export async function openByItself({
  launched,
  socket,
  run,
}: {
  launched: Browser | undefined;
  /** The harness, when there is one: it is told of a run. */
  socket: string | undefined;
  run: number | undefined;
}): Promise<ScriptBrowser> {
  const reply = socket && run !== undefined ? await askBroker({ socket, name: 'run', body: { run } }) : undefined;
  const browser = launched ?? (await launch());
  const context = await browser.newContext({ viewport });
  return { browser, page: await context.newPage(), step: reply ? Number(reply.step) : null };
}

async function launch(): Promise<Browser> {
  const { chromiumArgs, findChromium } = await import('../../config/browser.ts');
  const found = findChromium({ headed: process.env.HEADED === '1' });
  const { proxy, ...given } = JSON.parse(process.env.BROWSER_LAUNCH_OPTIONS ?? '{}') as LaunchOptions;
  // In a box without a network the variable names the only way out, and Chromium reads it.
  const isBoxed = process.env.HTTP_PROXY !== undefined;
  return chromium.launch({
    headless: process.env.HEADED !== '1',
    args: chromiumArgs(),
    ...(found?.source === 'system' && { executablePath: found.executablePath }),
    ...given,
    ...(proxy && !isBoxed && { proxy }),
  });
}

function listeners(target: BrowserContext | Page | null): number {
  return target ? (target as unknown as NodeJS.EventEmitter).listenerCount('dialog') : 0;
}

async function pageByGuid({ browser, guid }: { browser: Browser; guid: string }): Promise<Page> {
  const find = () =>
    browser
      .contexts()
      .flatMap(context => context.pages())
      .find(page => guidOf(page) === guid);
  for (let round = 0; round < 100; round += 1) {
    const page = find();
    if (page) return page;
    await new Promise(resolve => setTimeout(resolve, 20)); // a context made after connecting is announced a moment later
  }
  throw new Error('the harness opened a page that is not in the browser at BROWSER_ENDPOINT');
}
