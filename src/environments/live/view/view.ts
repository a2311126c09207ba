import { type Detail, type Line, linesOf, lineText } from './lines.ts';
import type { PageTree } from './tree.ts';

/** A folded view and what later views of the same page are compared with. */
export interface FoldedView {
  text: string;
  lines: Line[];
}

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
  for (const [level, detail] of details.entries()) {
    const { lines, cut } = linesOf(tree, detail);
    const notes = [
      ...(cut > 0 ? [`(${cut} characters of text not shown; read it with locator.innerText())`] : []),
      ...(tree.partial ? [`(The page has ${tree.nodes} elements; the view ends here. Query the rest by code.)`] : []),
    ];
    const text = [...lines.map(lineText), ...notes].join('\n');
    if (text.length <= (level === 0 ? Math.min(softChars, chars) : chars)) return { text, lines };
    if (level === details.length - 1) {
      const end = text.lastIndexOf('\n', chars - 120);
      return {
        text: `${text.slice(0, end)}\n(cut: ${text.length - end} of ${text.length} characters; see them with: return await page.locator('…').ariaSnapshot())`,
        lines,
      };
    }
  }
  return { text: '', lines: [] };
}
