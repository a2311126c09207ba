import type { BrowserContext, CDPSession, Page, Download as PlaywrightDownload, Request, Response } from '@playwright/test';
import { EnvironmentFault } from '../../core/environment.ts';
import { oneLine } from '../clean-text.ts';
import { within, withinOr } from '../deadline.ts';
import type { StepEvents } from './events.ts';
import { createStepRequests } from './step-requests.ts';

/** Most tabs that stay open (reliability §7.5). */
const maxTabs = 10;

/** What is known about one tab. */
export interface Tab {
  page: Page;
  /** Opened while the tab was healthy: the only way into a renderer that hangs. Null when it could not be had. */
  cdp: Promise<CDPSession | null>;
  /** HTTP status of the last main navigation, and the URL it belongs to. */
  status: number | null;
  contentType: string;
  /** URL at the last observation at which the tab answered. */
  lastGoodUrl: string;
  crashed: boolean;
}

export interface Tabs {
  /** Open tabs in the order of `context.pages()`. */
  list(): Tab[];
  /** The tab that `page` stands for. When it was closed, the last one that is left takes its place, or a new one. */
  current(): Promise<Tab>;
  /** The tab that `page` stands for from now on. */
  select(page: Page): void;
  find(guid: string): Tab | undefined;
  tabOf(page: Page): Tab | undefined;
  /** A page of the harness's own in this context: no tab, and what happens in it is no event. */
  openAside(): Promise<Page>;
  /** Tabs opened since the last call. */
  takeOpened(): Page[];
  /** Waits until what this step has asked for is there, at most `timeoutMs`. Polls, streams and sockets do not count. */
  settled(timeoutMs: number): Promise<void>;
  beginStep(): void;
  endStep(): void;
  dispose(): void;
}

/** Watches all tabs of a context from outside the page and reports what happens there. */
export function watchTabs({
  context,
  page,
  events,
  onDownload,
}: {
  context: BrowserContext;
  page: Page;
  events: StepEvents;
  onDownload: (download: PlaywrightDownload) => void;
}): Tabs {
  const tabs = new Map<Page, Tab>();
  let opened: Page[] = [];
  let current = page;
  let disposed = false;
  const closing = new Map<Page, Promise<void>>();
  const requests = createStepRequests();
  /** Pages of the harness's own, and whether one is being opened. */
  const aside = new WeakSet<Page>();
  let openingAside = false;
  const isAside = (request: Request) => {
    try {
      return aside.has(request.frame().page());
    } catch {
      return false;
    }
  };

  const adopt = (target: Page): Tab => {
    const known = tabs.get(target);
    if (known) return known;
    const tab: Tab = {
      page: target,
      cdp: openCdp(context, target),
      status: null,
      contentType: '',
      lastGoodUrl: target.url(),
      crashed: false,
    };
    tabs.set(target, tab);
    const listeners: [string, (argument: never) => void][] = [
      [
        'crash',
        () => {
          tab.crashed = true;
          events.add('tab', `the page ${oneLine(target.url(), 120)} crashed`);
        },
      ],
      [
        'close',
        () => {
          tabs.delete(target);
          if (!disposed) events.add('tab', `closed: ${oneLine(target.url(), 160)}`);
        },
      ],
      ['download', (download: PlaywrightDownload) => onDownload(download)],
      ['filechooser', () => events.add('file chooser', 'open; fill it with locator.setInputFiles({ name, mimeType, buffer })')],
    ];
    for (const [event, listener] of listeners) (target as unknown as { on(event: string, listener: unknown): void }).on(event, listener);
    cleanups.push(() => {
      for (const [event, listener] of listeners)
        (target as unknown as { off(event: string, listener: unknown): void }).off(event, listener);
    });
    return tab;
  };

  const cleanups: (() => void)[] = [];
  const onContext = (event: string, listener: unknown) => {
    (context as unknown as { on(event: string, listener: unknown): void }).on(event, listener);
    cleanups.push(() => (context as unknown as { off(event: string, listener: unknown): void }).off(event, listener));
  };
  onContext('page', (target: Page) => {
    if (openingAside) {
      aside.add(target);
      return;
    }
    adopt(target);
    opened.push(target);
    if (context.pages().length - closing.size > maxTabs) {
      const oldest =
        opened.find(
          candidate =>
            candidate !== target && !closing.has(candidate) && !candidate.isClosed() && candidate !== page && candidate !== current,
        ) ?? target;
      events.add('tab', `more than ${maxTabs} tabs; the oldest one opened by the page was closed`);
      closing.set(
        oldest,
        oldest
          .close()
          .catch(() => {})
          .finally(() => closing.delete(oldest)),
      );
    }
  });
  onContext('console', (message: { type(): string; text(): string; page(): Page | null }) => {
    if (aside.has(message.page() as Page)) return;
    if (['error', 'warning', 'log', 'info', 'assert'].includes(message.type()))
      events.add('console', `${message.type()}: ${message.text().slice(0, 2_000)}`);
  });
  onContext('weberror', (error: { error(): Error; page(): Page | null }) => {
    if (!aside.has(error.page() as Page)) events.add('page error', String(error.error()?.message ?? error.error()).slice(0, 2_000));
  });
  onContext('request', (request: Request) => {
    if (!isAside(request)) requests.began(request);
  });
  onContext('requestfinished', (request: Request) => requests.ended(request));
  onContext('requestfailed', (request: Request) => {
    requests.ended(request);
    if (isAside(request)) return;
    const reason = request.failure()?.errorText ?? 'failed';
    if (['document', 'xhr', 'fetch', 'script'].includes(request.resourceType()) && reason !== 'net::ERR_ABORTED') {
      events.add('request', `${request.method()} ${oneLine(request.url(), 160)} failed: ${reason}`);
    }
  });
  onContext('response', (response: Response) => {
    const request = response.request();
    if (isAside(request)) return;
    if (response.headers()['content-type']?.startsWith('text/event-stream')) requests.ended(request);
    if (response.fromServiceWorker()) reportServiceWorker(request.url());
    if (mainNavigation(request)) {
      const tab = tabs.get(request.frame().page());
      if (tab) {
        tab.status = response.status();
        tab.contentType = response.headers()['content-type'] ?? '';
      }
    } else if (response.status() >= 400 && ['xhr', 'fetch'].includes(request.resourceType())) {
      events.add('request', `${request.method()} ${oneLine(request.url(), 160)} answered ${response.status()}`);
    }
  });
  const workerOrigins = new Set<string>();
  const reportServiceWorker = (url: string) => {
    const { origin } = new URL(url);
    if (workerOrigins.has(origin)) return;
    workerOrigins.add(origin);
    events.add('harness', `A service worker answers for ${origin}; what it shows may come from its cache.`);
  };
  const pages = () => context.pages().filter(each => !aside.has(each));
  for (const target of context.pages()) adopt(target);

  return {
    list: () => pages().map(adopt),
    async current() {
      if (current.isClosed()) {
        const left = pages().at(-1);
        current =
          left ??
          (await context.newPage().catch(error => {
            throw new EnvironmentFault(`no page is left and none can be opened: ${(error as Error).message.split('\n')[0]}`);
          }));
        if (!left) opened = opened.filter(each => each !== current);
        events.add('tab', left ? '`page` was closed; it is the last tab now' : 'the last tab was closed; a new empty one was opened');
      }
      return adopt(current);
    },
    select: target => {
      current = target;
    },
    find: guid =>
      pages()
        .map(adopt)
        .find(tab => (tab.page as unknown as { _guid?: string })._guid === guid),
    tabOf: target => tabs.get(target),
    async openAside() {
      openingAside = true;
      try {
        return await context.newPage();
      } finally {
        openingAside = false;
      }
    },
    takeOpened: () => {
      const taken = opened;
      opened = [];
      return taken;
    },
    async settled(timeoutMs) {
      await withinOr({ promise: Promise.all(closing.values()), timeoutMs, otherwise: undefined });
      await requests.settled(timeoutMs);
    },
    beginStep: requests.beginStep,
    endStep: requests.endStep,
    dispose() {
      disposed = true;
      for (const cleanup of cleanups) cleanup();
      for (const tab of tabs.values()) void tab.cdp.then(cdp => cdp?.detach()).catch(() => {});
    },
  };
}

function mainNavigation(request: Request): boolean {
  try {
    return request.isNavigationRequest() && request.frame() === request.frame().page().mainFrame();
  } catch {
    return false;
  }
}

async function openCdp(context: BrowserContext, page: Page): Promise<CDPSession | null> {
  try {
    const cdp = await within({ promise: context.newCDPSession(page), timeoutMs: 5_000, what: 'CDP session' });
    await within({ promise: cdp.send('Runtime.enable'), timeoutMs: 5_000, what: 'Runtime.enable' });
    return cdp;
  } catch {
    return null;
  }
}
