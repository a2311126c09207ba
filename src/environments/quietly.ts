import type { Page } from '@playwright/test';

/** Playwright's own way to keep calls together; it is private, and may be missing in another version. */
interface Wrapping {
  _wrapApiCall?<T>(work: () => Promise<T>, options: { internal: boolean }): Promise<T>;
}

/**
 * Runs calls of the harness as one that is internal to Playwright: they are no steps of the test, not in the trace, and need no stack trace each, which costs more than
 * the calls themselves. What reports and traces show are the agent's actions.
 *
 * @example
 * const title = await quietly(page, () => page.title());
 */
export function quietly<T>(owner: Page, work: () => Promise<T>): Promise<T> {
  const { _wrapApiCall: wrap } = owner as Wrapping;
  return wrap ? (wrap.call(owner, work, { internal: true }) as Promise<T>) : work();
}
