import type { Browser, BrowserContext, BrowserContextOptions, Page } from '@playwright/test';
import type { EvidenceItem } from '../../core/evidence.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import type { Guard, GuardProfile } from '../../sandbox/guard/guard.ts';
import type { Refusal } from '../../sandbox/guard/refusals.ts';
import { within, withinOr } from '../deadline.ts';
import { openGuardedEndpoint } from '../guarded-endpoint.ts';
import { collectDownloads } from '../page/downloads.ts';
import { lookAfresh } from '../page/fresh-look.ts';
import { readWords } from '../page/page-words.ts';
import { guidOf } from './page-guid.ts';
import { viewport } from './viewport.ts';

/** How long the harness looks at a page before it gives up on it. */
const captureMs = 10_000;
const maxPagesPerCapture = 10;
const dialogMs = 2_000;
const harnessLabels = new Set(['step', 'tab', 'end', 'fresh']);

/** What a script gets to find its page. */
export interface OpenedSession {
  endpoint: string;
  page: string;
}

/** The browser of a workspace attempt as the harness holds it: started when a script first asks, contexts made and watched here. */
export interface BrowserSessions {
  /** Starts the browser and makes a page in a fresh context, without waiting, for a command that looks like it will need one. */
  warm(): void;
  /** A page in a fresh context. With `run` the context is kept after its command, until a newer run or the end, for the checks; `goOn` gives the new one its cookies and local storage. */
  open(options: { run?: number; goOn?: boolean }): Promise<OpenedSession>;
  /** The harness's own picture of a page, as evidence. */
  shot(options: { page: string; step: number; label: string }): Promise<{ item: EvidenceItem; bytes: Buffer }>;
  /** Captures the last state of every page whose context the command has opened or used. */
  captureNew(options: { step: number; label: string }): Promise<EvidenceItem[]>;
  /** Captures every open page. */
  captureOpen(options: { step: number; label: string }): Promise<EvidenceItem[]>;
  /** The addresses of the open pages once more, each in a new page of its own context; to be called when no command runs. */
  lookAfresh(options: { step: number }): Promise<EvidenceItem[]>;
  /** Closes what a command left open, except the contexts of the newest run. */
  endOfCommand(): Promise<void>;
  /** Pages that are open, oldest first; the one captured last is the current one. */
  openPages(): { page: Page; current: boolean }[];
  /** What the guard has refused in the browser of now. */
  refusals(): Refusal[];
  close(): Promise<void>;
}

/** Sessions over a browser that is opened when it is first needed, and again when it has died. */
export function createBrowserSessions({
  openBrowser,
  contextOptions,
  evidence,
  step,
  persistent,
  doorOf,
  allow,
  share,
  note,
}: {
  openBrowser: () => Promise<Browser>;
  contextOptions: BrowserContextOptions;
  evidence: EvidenceStore;
  /** The step of now. */
  step: () => number;
  /** One context for the whole attempt: scripts find the page as the last one left it (overlay `persistent_browser.yaml`). */
  persistent: boolean;
  /** The folder of sockets that commands see. */
  doorOf: () => string;
  /** What the guard lets scripts do besides (`environment.allow`). */
  allow: NonNullable<GuardProfile['allow']>;
  /** Makes a socket usable by commands that run as another user. */
  share: (socket: string) => void;
  note: (text: string) => void;
}): BrowserSessions {
  let started: Promise<{ browser: Browser; guard: Guard }> | undefined;
  let guard: Guard | undefined;
  /** Contexts that commands opened, and the run each belongs to. */
  const open = new Map<BrowserContext, number | undefined>();
  /** Contexts that the command of now has opened or been given. */
  const touched = new Set<BrowserContext>();
  let current: Page | undefined;
  const collector = collectDownloads({ evidence, step, say: text => note(`download: ${text}`) });

  const watch = (context: BrowserContext) => {
    open.set(context, undefined);
    touched.add(context);
    context.once('close', () => {
      open.delete(context);
      touched.delete(context);
    });
    context.on('download', collector.add);
    // A listener here keeps Playwright from dismissing what the script wants to answer; a dialog nobody answers is dismissed after a while.
    context.on('dialog', dialog => {
      note(`dialog (${dialog.type()}): ${dialog.message().slice(0, 200)}`);
      setTimeout(() => dialog.dismiss().catch(() => {}), dialogMs).unref();
    });
  };
  const start = () => {
    started ??= (async () => {
      const browser = await openBrowser();
      guard = await openGuardedEndpoint({ browser, profile: { kind: 'script', allow }, folder: doorOf(), note });
      share(guard.address);
      browser.on('context', watch);
      browser.once('disconnected', forget);
      return { browser, guard };
    })();
    started.catch(forget);
    return started;
  };
  /** A page in a fresh context that no script has yet. */
  let spare: Promise<Page> | undefined;
  const freshPage = async (storageState?: Awaited<ReturnType<BrowserContext['storageState']>>) => {
    const { browser } = await start();
    const context = await browser.newContext({ viewport, ...contextOptions, ...(storageState && { storageState }) });
    open.delete(context); // not a command's until a script gets it
    touched.delete(context);
    return context.newPage();
  };
  const forget = () => {
    started = undefined;
    spare = undefined;
    open.clear();
    touched.clear();
  };
  const pages = () => [...open.keys()].flatMap(context => context.pages());

  const capture = async ({ page, step, label }: { page: Page; step: number; label: string }) => {
    const bytes = await page.screenshot({ timeout: captureMs });
    const cdp = page
      .context()
      .newCDPSession(page)
      .catch(() => null);
    const words = await readWords({ page, cdp });
    void cdp.then(session => session?.detach()).catch(() => {});
    const item = evidence.add({ step, source: 'harness', label, url: page.url(), ...words, bytes, mediaType: 'image/png' });
    current = page;
    return { item, bytes };
  };
  const captureThese = async ({ contexts, step, label }: { contexts: BrowserContext[]; step: number; label: string }) => {
    const items: EvidenceItem[] = [];
    const shown = contexts.flatMap(context => context.pages()).filter(page => page.url() !== 'about:blank');
    for (const page of shown.slice(-maxPagesPerCapture)) {
      const got = await within({ promise: capture({ page, step, label }), timeoutMs: captureMs + 3_000, what: 'the page' }).catch(error => {
        note(`the last state of ${page.url().slice(0, 200)} could not be captured: ${(error as Error).message.split('\n')[0]}`);
        return undefined;
      });
      if (got) items.push(got.item);
    }
    return items;
  };
  const closeThese = (contexts: BrowserContext[]) =>
    Promise.all(contexts.map(context => withinOr({ promise: context.close(), timeoutMs: 5_000, otherwise: undefined })));

  return {
    warm() {
      if (persistent && open.size > 0) return;
      spare ??= freshPage();
      spare.catch(() => {
        spare = undefined;
      });
    },
    async open({ run, goOn = false }) {
      const { guard } = await start();
      const give = (page: Page): OpenedSession => {
        touched.add(page.context());
        guard.permit(guidOf(page.context()));
        return { endpoint: guard.address, page: guidOf(page) };
      };
      const kept = persistent ? pages().at(-1) : undefined;
      if (kept) return give(kept);
      const last = [...open].findLast(([, of]) => of !== undefined && of !== run)?.[0];
      if (goOn && !last) throw new Error("there is no earlier run whose session could go on: leave { session: 'previous' } out");
      const ready = goOn && last ? freshPage(await last.storageState()) : (spare ?? freshPage());
      if (!goOn) spare = undefined;
      const page = await ready.catch(() => freshPage());
      open.set(page.context(), run);
      return give(page);
    },
    async shot({ page: guid, step, label }) {
      const page = pages().find(candidate => guidOf(candidate) === guid);
      // Names of the harness's own pictures are not for scripts: a judge believes `fresh` more than others.
      const name = harnessLabels.has(label.trim().toLowerCase()) ? `script: ${label}` : label;
      if (!page) throw new Error('this page is closed, or it is not in the browser of this attempt');
      return within({ promise: capture({ page, step, label: name }), timeoutMs: captureMs + 3_000, what: 'the page' });
    },
    async captureNew(options) {
      const contexts = [...touched];
      touched.clear();
      return captureThese({ contexts, ...options });
    },
    captureOpen: options => captureThese({ contexts: [...open.keys()], ...options }),
    async lookAfresh({ step }) {
      const items: EvidenceItem[] = [];
      for (const context of [...open.keys()].slice(-2)) {
        const shown = context.pages().map(page => page.url());
        items.push(...(await lookAfresh({ openPage: () => context.newPage(), urls: shown.reverse(), step, evidence })));
      }
      return items;
    },
    async endOfCommand() {
      await collector.settled();
      // What is kept for the checks is out of the reach of later commands.
      guard?.disconnect();
      guard?.beginStep();
      if (persistent) return;
      const newest = Math.max(...[...open.values()].map(run => run ?? 0));
      await closeThese([...open].filter(([, run]) => run === undefined || run < newest).map(([context]) => context));
    },
    openPages() {
      const all = pages();
      const front = current && all.includes(current) ? current : all.at(-1);
      return all.map(page => ({ page, current: page === front }));
    },
    refusals: () => guard?.refusals() ?? [],
    async close() {
      const running = await started?.catch(() => undefined);
      if (!running) return;
      running.browser.off('context', watch);
      running.browser.off('disconnected', forget);
      const unused = (await spare?.catch(() => undefined))?.context();
      await closeThese([...open.keys(), ...(unused ? [unused] : [])]);
      await running.guard.close();
    },
  };
}
