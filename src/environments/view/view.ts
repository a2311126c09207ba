import { type Detail, type Line, linesOf, lineText } from './lines.ts';
import type { PageTree } from './tree.ts';

/** A folded view and what later views of the same page are compared with: lines that do not depend on scrolling. */
export interface FoldedView {
  /** Made when it is asked for: where a delta does, it is not needed. */
  text(): string;
  lines: Line[];
}

const comparedDetail: Detail = { offScreenChars: null, rows: 200, items: 300 };

/** Below this a view is cheap enough to keep the text of what is off screen (about 1,000 tokens). */
const softChars = 3_400;

/** Levels of detail, tried until the view fits. */
const details: Detail[] = [
  { offScreenChars: 120, rows: 30, items: 60 },
  { offScreenChars: 16, rows: 30, items: 60 },
  { offScreenChars: 0, rows: 12, items: 30 },
  { offScreenChars: 0, rows: 4, items: 12 },
];

/** The folded view in at most `chars` characters; what was cut is said, with how to see it. */
export function foldedView({ tree, chars }: { tree: PageTree; chars: number }): FoldedView {
  return { text: () => foldedText({ tree, chars }), lines: linesOf(tree, comparedDetail).lines };
}

function foldedText({ tree, chars }: { tree: PageTree; chars: number }): string {
  const partial = tree.partial
    ? `\n(The page has ${tree.nodes} elements; the view ends before the last of them. Query the rest by code.)`
    : '';
  let text = '';
  for (const [level, detail] of details.entries()) {
    const { lines, cut } = linesOf(tree, detail);
    const note = cut > 0 ? `\n(${cut} characters of text not shown; read it with locator.innerText())` : '';
    text = `${lines.map(lineText).join('\n')}${note}${partial}`;
    if (text.length <= (level === 0 ? Math.min(softChars, chars) : chars)) return text;
  }
  const end = text.lastIndexOf('\n', chars - 300);
  return `${text.slice(0, end)}\n(cut: ${text.length - end} of ${text.length} characters; see them with: return await page.locator('…').ariaSnapshot())${partial}`;
}
