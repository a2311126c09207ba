import type { Browser } from '@playwright/test';
import { questionsUnderWay } from './ask-broker.ts';

const pollMs = 50;
/** Quiet looks in a row before a script counts as idle: on a loaded machine a call may follow another only after a while. */
const quietLooks = 8;

/** What keeps this process alive, counted by kind. */
export function activeResources(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/**
 * Resolves when a script has nothing left to do: no call to its browser is under way and nothing keeps the process alive but that
 * browser's own connection. It is how a script ends by itself although it never closes the browser, whether it uses top-level await,
 * a heredoc or a `main()` that nobody awaits.
 */
export function whenIdle({ browser, baseline }: { browser: Browser; baseline: ReadonlyMap<string, number> }): Promise<void> {
  return new Promise(resolve => {
    let quiet = 0;
    const timer = setInterval(() => {
      quiet = callsUnderWay(browser) + questionsUnderWay() === 0 && nothingBeyond(baseline) ? quiet + 1 : 0;
      if (quiet < quietLooks && browser.isConnected()) return;
      clearInterval(timer);
      resolve();
    }, pollMs);
    timer.unref();
  });
}

/** Messages to the browser that are not answered yet; `_callbacks` is Playwright's own list of them (pinned by a test). */
function callsUnderWay(browser: Browser): number {
  return (browser as unknown as { _connection: { _callbacks: Map<number, unknown> } })._connection._callbacks.size;
}

function nothingBeyond(baseline: ReadonlyMap<string, number>): boolean {
  return [...activeResources()].every(([kind, count]) => count <= (baseline.get(kind) ?? 0));
}
