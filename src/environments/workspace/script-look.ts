import type { Page } from '@playwright/test';
import { cleanText } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import { readPageTree } from '../view/page-tree.ts';
import { foldedView } from '../view/view.ts';

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
  const title = await withinOr({ promise: page.title(), timeoutMs: 2_000, otherwise: '(the page does not answer)' });
  return `URL: ${page.url()}\nTitle: ${cleanText(title)}\n${await view(page)}`;
}

async function view(page: Page): Promise<string> {
  try {
    const tab = { page, cdp: Promise.resolve(null), status: null, contentType: '', lastGoodUrl: page.url(), crashed: false };
    const tree = await readPageTree({ tab });
    if ((tree.root.c ?? []).length === 0) return '(the page is empty)';
    return cleanText(foldedView({ tree, chars: maxChars }).text);
  } catch (error) {
    return `(no view of the page: ${(error as Error).message.split('\n')[0]})`;
  }
}
