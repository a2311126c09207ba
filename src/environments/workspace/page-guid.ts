import type { Page } from '@playwright/test';

/** Identity of a page in every client of a browser (playwright-plugin.md §2: the private `_guid` is the same across processes). */
export function guidOf(page: Page): string {
  return (page as unknown as { _guid: string })._guid;
}
