import type { BrowserContext } from '@playwright/test';
import { EnvironmentFault } from '../../core/environment.ts';
import { oneLine } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import type { StepEvents } from './events.ts';
import type { Tab, Tabs } from './tabs.ts';

const probeMs = 1_000;

/**
 * Makes the current tab usable again after its code was killed: a pending navigation is stopped, an endless loop in the page
 * is ended through the CDP session opened beforehand, and if the tab still does not answer it is replaced by a new one at
 * its last good URL. What was done is an event.
 */
export async function recoverPage({ tabs, context, events }: { tabs: Tabs; context: BrowserContext; events: StepEvents }): Promise<void> {
  const tab = await tabs.current();
  const cdp = await withinOr({ promise: tab.cdp, timeoutMs: probeMs, otherwise: null });
  if (cdp) await withinOr({ promise: cdp.send('Page.stopLoading'), timeoutMs: probeMs, otherwise: undefined });
  if (await answers(tab)) return;
  if (cdp) {
    await withinOr({ promise: cdp.send('Runtime.terminateExecution'), timeoutMs: probeMs, otherwise: undefined });
    if (await answers(tab)) {
      events.add('harness', 'The page was busy in an endless script, which was ended.');
      return;
    }
  }
  const away = await withinOr({
    promise: tab.page.goto('about:blank', { timeout: 2_000 }).then(() => true),
    timeoutMs: 2_500,
    otherwise: false,
  });
  if (away && (await reopen({ tab, url: tab.lastGoodUrl }))) {
    events.add('harness', `The page did not answer any more and was opened again at ${oneLine(tab.lastGoodUrl, 160)}.`);
    return;
  }
  await replaceTab({ tab, tabs, context, events });
}

/** Replaces a crashed current tab, once per URL, and closes other tabs that crashed. */
export async function replaceCrashed({
  tabs,
  context,
  events,
  crashes,
}: {
  tabs: Tabs;
  context: BrowserContext;
  events: StepEvents;
  crashes: Map<string, number>;
}): Promise<void> {
  for (const tab of tabs.list()) {
    if (!tab.crashed) continue;
    if (tab !== (await tabs.current())) {
      void tab.page.close().catch(() => {});
      continue;
    }
    const count = (crashes.get(tab.lastGoodUrl) ?? 0) + 1;
    crashes.set(tab.lastGoodUrl, count);
    if (count > 1) throw new EnvironmentFault(`the page crashes again and again: ${oneLine(tab.lastGoodUrl, 160)}`);
    await replaceTab({ tab, tabs, context, events });
  }
}

/** Opens a new tab at the last good URL and makes it `page`; the old one is closed. */
export async function replaceTab({
  tab,
  tabs,
  context,
  events,
}: {
  tab: Tab;
  tabs: Tabs;
  context: BrowserContext;
  events: StepEvents;
}): Promise<void> {
  const page = await withinOr({ promise: context.newPage(), timeoutMs: 5_000, otherwise: null });
  if (!page) throw new EnvironmentFault('the page is lost and no new tab can be opened');
  void tab.page.close().catch(() => {});
  tabs.select(page);
  tabs.takeOpened();
  await withinOr({
    promise: page.goto(tab.lastGoodUrl, { waitUntil: 'domcontentloaded', timeout: 10_000 }),
    timeoutMs: 11_000,
    otherwise: null,
  });
  events.add('harness', `The page was lost; a new tab was opened at ${oneLine(tab.lastGoodUrl, 160)} and is \`page\` now.`);
}

async function reopen({ tab, url }: { tab: Tab; url: string }): Promise<boolean> {
  if (url === 'about:blank') return true;
  return withinOr({
    promise: tab.page.goto(url, { waitUntil: 'domcontentloaded', timeout: 10_000 }).then(() => true),
    timeoutMs: 11_000,
    otherwise: false,
  });
}

/** Whether Playwright itself can still evaluate in the page; CDP alone may answer while a navigation is stuck. */
function answers(tab: Tab): Promise<boolean> {
  return withinOr({ promise: tab.page.evaluate(() => true), timeoutMs: probeMs, otherwise: false });
}
