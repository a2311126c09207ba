import type { CDPSession, Page } from '@playwright/test';
import { cleanText, oneLine } from '../clean-text.ts';
import { readPageTree } from './page-tree.ts';
import { foldedView } from './view.ts';

/** A page as an agent sees it, without what happened before. */
export interface ObservedPage {
  url: string;
  title: string;
  /** The folded view: long lists and tables shortened, names and fields kept, passwords masked. */
  view: string;
}

/** One look at a page, in at most `chars` characters. Throws when the page does not answer within 3 s. */
export async function observePage({
  page,
  cdp,
  chars,
}: {
  page: Page;
  cdp: Promise<CDPSession | null>;
  chars: number;
}): Promise<ObservedPage> {
  const tree = await readPageTree({ tab: { page, cdp } });
  const isEmpty = (tree.root.c ?? []).length === 0;
  return {
    url: page.url(),
    title: oneLine(tree.title, 300),
    view: isEmpty ? '(the page is empty)' : cleanText(foldedView({ tree, chars }).text()),
  };
}
