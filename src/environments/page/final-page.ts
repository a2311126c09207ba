import type { Locator, Page } from '@playwright/test';
import type { FinalPage } from '../../core/evidence.ts';
import { withinOr } from '../deadline.ts';

/** Elements read for a check at most. */
const maxTexts = 200;

/** An open tab at the end of an attempt, read through locators only (DESIGN §9.7). */
export async function finalPage({ page, current }: { page: Page; current: boolean }): Promise<FinalPage> {
  const [title, text] = await Promise.all([
    withinOr({ promise: page.title(), timeoutMs: 2_000, otherwise: '' }),
    withinOr({ promise: page.locator('body').innerText({ timeout: 2_000 }), timeoutMs: 2_000, otherwise: '' }),
  ]);
  return {
    url: page.url(),
    title,
    text: text.slice(0, 100_000).toWellFormed(),
    current,
    texts: selector => withinOr({ promise: innerTexts(page.locator(selector)), timeoutMs: 5_000, otherwise: [] }),
  };
}

/** Each by itself: `allInnerTexts()` would read in the page's own world, where a page can patch `innerText`. */
async function innerTexts(locator: Locator): Promise<string[]> {
  const count = Math.min(await locator.count(), maxTexts);
  return Promise.all(Array.from({ length: count }, (_, index) => locator.nth(index).innerText({ timeout: 2_000 })));
}
