import type { Page } from '@playwright/test';
import { withinOr } from '../deadline.ts';
import { observePage } from '../view/observe-page.ts';

const maxChars = 12_000;
/** A page that says it is still loading is given this long. */
const busyMs = 2_000;

/** URL, title and the folded view of a page, as the live environment shows it, in at most 12,000 characters. */
export async function lookAt(page: Page): Promise<string> {
  await withinOr({
    promise: page.locator('[aria-busy="true"]').first().waitFor({ state: 'detached', timeout: busyMs }),
    timeoutMs: busyMs,
    otherwise: undefined,
  });
  try {
    const { url, title, view } = await observePage({ page, cdp: Promise.resolve(null), chars: maxChars });
    return `URL: ${url}\nTitle: ${title}\n${view}`;
  } catch (error) {
    return `URL: ${page.url()}\n(no view of the page: ${(error as Error).message.split('\n')[0]})`;
  }
}
