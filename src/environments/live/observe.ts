import type { Page } from '@playwright/test';
import { cleanText } from '../clean-text.ts';
import { within, withinOr } from '../deadline.ts';
import type { Tab } from './tabs.ts';

/** The page part of an observation. */
export interface PageView {
  aria: string;
  aria_mode: 'folded' | 'delta' | 'full' | 'off';
}

/** Larger pages are not walked whole (reliability §4: 50,000 nodes block the renderer for 20 s). */
const maxNodes = 20_000;
const viewTimeoutMs = 5_000;

/** What is on the page as accessible text of at most `chars` characters; what was cut is said, with how to see it. */
export async function viewPage({ tab, chars }: { tab: Tab; chars: number }): Promise<PageView> {
  const { page } = tab;
  const nodes = await countNodes(page);
  if (nodes === null) return { aria: '(the page does not answer)', aria_mode: 'off' };
  const snapshot =
    nodes > maxNodes
      ? withinOr({ promise: page.locator('body').innerText({ timeout: viewTimeoutMs }), timeoutMs: viewTimeoutMs, otherwise: '' })
      : within({ promise: page.ariaSnapshot({ mode: 'ai', timeout: viewTimeoutMs }), timeoutMs: viewTimeoutMs, what: 'ARIA snapshot' });
  const text = await snapshot.then(cleanText, error => `(no view of the page: ${(error as Error).message.split('\n')[0]})`);
  if (!text.trim())
    return {
      aria: `(the page is empty: HTTP status ${tab.status ?? 'unknown'}, content type ${tab.contentType || 'unknown'})`,
      aria_mode: 'full',
    };
  if (text.length <= chars) return { aria: text, aria_mode: 'full' };
  return {
    aria: `${text.slice(0, chars)}\n… cut: ${text.length - chars} of ${text.length} characters. See more with: return await page.locator('…').ariaSnapshot()`,
    aria_mode: 'full',
  };
}

function countNodes(page: Page): Promise<number | null> {
  return withinOr({ promise: page.evaluate(() => document.getElementsByTagName('*').length), timeoutMs: 2_000, otherwise: null });
}
