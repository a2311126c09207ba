import type { BrowserContext, CDPSession } from '@playwright/test';
import { withinOr } from '../deadline.ts';
import type { Tab } from './tabs.ts';

const askMs = 1_000;
const openMs = 3_000;

/**
 * Waits until Playwright knows every tab that the browser has opened in this context, at most 3 s. A click is over before its new tab
 * is announced, but the browser itself has the tab by then.
 */
export async function popupsKnown({ context, tab }: { context: BrowserContext; tab: Tab }): Promise<void> {
  const cdp = await withinOr({ promise: tab.cdp, timeoutMs: askMs, otherwise: null });
  if (!cdp) return;
  const targets = await withinOr({ promise: openTargets(cdp), timeoutMs: askMs, otherwise: 0 });
  if (targets <= context.pages().length) return;
  await withinOr({ promise: context.waitForEvent('page', { timeout: openMs }), timeoutMs: openMs, otherwise: null });
}

/** The context of each session; it never changes. */
const ownContexts = new WeakMap<CDPSession, Promise<string | undefined>>();

/** Tabs of the session's own context, as the browser counts them. */
async function openTargets(cdp: CDPSession): Promise<number> {
  const own = ownContexts.get(cdp) ?? cdp.send('Target.getTargetInfo').then(({ targetInfo }) => targetInfo.browserContextId);
  ownContexts.set(cdp, own);
  const [browserContextId, { targetInfos }] = await Promise.all([own, cdp.send('Target.getTargets')]);
  return targetInfos.filter(target => target.type === 'page' && target.browserContextId === browserContextId).length;
}
