import type { BrowserContext, Page } from '@playwright/test';

/** Identity of a page or context in every client of a browser (playwright-plugin.md §2: the private `_guid` is the same across processes). */
export function guidOf(object: Page | BrowserContext): string {
  return (object as unknown as { _guid: string })._guid;
}
