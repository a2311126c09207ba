import type { BrowserContext, Page } from '@playwright/test';
import type { EvidenceItem, FinalPage, FinalState } from '../../core/evidence.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import { withinOr } from '../deadline.ts';
import type { ToChild } from '../live/protocol.ts';
import { type DialogOwner, ownDialogs } from './dialogs.ts';
import { collectDownloads, type Downloads } from './downloads.ts';
import { createStepEvents, type StepEvents } from './events.ts';
import { finalPage } from './final-page.ts';
import { lookAfresh } from './fresh-look.ts';
import { popupsKnown } from './popups.ts';
import { recoverPage, replaceCrashed } from './recover.ts';
import { captureEvidence } from './screenshot.ts';
import { openStartUrl } from './start-urls.ts';
import { type Tab, type Tabs, watchTabs } from './tabs.ts';

/** What a step started may still answer for this long before the page is looked at. */
const settleMs = 1_000;

/** The pages of one attempt in a context, with everything the harness keeps of them: what live and text mode share. */
export interface AttemptPages {
  tabs: Tabs;
  events: StepEvents;
  downloads: Downloads;
  dialogs: DialogOwner;
  /** Opens the start URLs, one tab each; the first is the current one. Throws START_URL. */
  openStartUrls(options: {
    urls: readonly string[];
    timeoutMs: number;
    handOver?: ((page: Page) => Promise<string>) | undefined;
  }): Promise<void>;
  beginStep(): void;
  /** Tabs that opened in this step and are still there, the newest last; it has left its empty page, if that takes less than a second. */
  openedTabs(): Promise<Page[]>;
  /** The current tab, when it has come to rest: crashed tabs are replaced, answers to the step and downloads waited for. */
  settledTab(): Promise<Tab>;
  /** The current tab after it was lost: ended, reopened or replaced. */
  recoveredTab(): Promise<Tab>;
  /** Ends the step with a picture of the current tab as evidence; without one an event says so. */
  capture(options: { tab: Tab; step: number }): Promise<EvidenceItem | null>;
  /** The pictures that a `done` is judged by; a refusal when there is none. */
  stepImages(): { refusal: string } | { images: EvidenceItem[] };
  /** The addresses of the tabs opened anew, the current one first. */
  freshLook(step: number): Promise<EvidenceItem[]>;
  finalState(step: number): Promise<FinalState>;
  dispose(): void;
}

export function createAttemptPages({
  context,
  page,
  evidence,
  send = () => {},
}: {
  context: BrowserContext;
  page: Page;
  evidence: EvidenceStore;
  /** Tells code that listens about dialogs. */
  send?: (message: ToChild) => void;
}): AttemptPages {
  const events = createStepEvents();
  let steps = 0;
  const downloads = collectDownloads({ evidence, step: () => steps, say: text => events.add('download', text) });
  const tabs = watchTabs({ context, page, events, onDownload: downloads.add });
  const dialogs = ownDialogs({ events, send });
  const crashes = new Map<string, number>();
  dialogs.watch(context);

  return {
    tabs,
    events,
    downloads,
    dialogs,
    async openStartUrls({ urls, timeoutMs, handOver }) {
      for (const [index, url] of urls.entries()) {
        const target = index === 0 ? page : await context.newPage();
        const slow = await openStartUrl({ page: target, url, timeoutMs });
        if (slow) events.add('navigation', slow);
      }
      if (handOver) events.add('harness', await handOver(page));
      tabs.takeOpened();
      tabs.select(page);
    },
    beginStep() {
      steps += 1;
      tabs.beginStep();
      dialogs.beginStep();
    },
    async openedTabs() {
      await popupsKnown({ context, tab: await tabs.current() });
      const opened = tabs.takeOpened().filter(each => !each.isClosed());
      const arrived = opened.at(-1)?.waitForURL(url => url.href !== 'about:blank', { waitUntil: 'commit', timeout: settleMs });
      if (arrived) await withinOr({ promise: arrived, timeoutMs: settleMs, otherwise: undefined });
      return opened;
    },
    async settledTab() {
      await replaceCrashed({ tabs, context, events, crashes });
      await tabs.current();
      await tabs.settled(settleMs);
      await downloads.settled(settleMs);
      return tabs.current();
    },
    async recoveredTab() {
      if ((await tabs.current()).crashed) await replaceCrashed({ tabs, context, events, crashes });
      else await recoverPage({ tabs, context, events });
      return tabs.current();
    },
    async capture({ tab, step }) {
      const item = await captureEvidence({ tab, step, label: 'step', evidence });
      if (!item) events.add('harness', 'No screenshot: the page did not give one within 5 s.');
      tab.lastGoodUrl = tab.page.url();
      tabs.endStep();
      return item;
    },
    stepImages() {
      const images = evidence.items.filter(item => item.source === 'harness' && item.label === 'step');
      if (images.length > 0) return { images };
      return { refusal: 'No screenshot of the page could be taken yet. Open the page that shows the result, then finish.' };
    },
    async freshLook(step) {
      const urls = [await tabs.current(), ...tabs.list()].map(tab => tab.page.url());
      return lookAfresh({ openPage: () => tabs.openAside(), urls, step, evidence });
    },
    async finalState(step) {
      const current = await tabs.current();
      const pages: FinalPage[] = [];
      for (const tab of tabs.list()) {
        await captureEvidence({ tab, step, label: 'tab', evidence });
        pages.push(await finalPage({ page: tab.page, current: tab === current }));
      }
      return { pages, downloads: await downloads.settled() };
    },
    dispose() {
      dialogs.dispose();
      tabs.dispose();
    },
  };
}
