import { withoutCodeFence } from './parse-json.ts';

export type Status = 'success' | 'failure';

/** `Status:` with the rest of its line, or the next line when nothing follows the colon. */
const marker = /\bstatus\b["'”*_` \t]*[:：][ \t]*(?:[*_"'`]*[ \t]*\n\s*)?([^\n]*)/giu;
const decoration = `["'“”‘’«»*_\`()[\\]\\s]*`;
const verdictWord = new RegExp(`^${decoration}(success|failure)(?![\\p{L}\\p{N}_-])(.*)$`, 'iu');
/** Denials that take nothing back. */
const harmless = /\b(?:no|without)\s+(?:any\s+)?(?:issues?|errors?|problems?|doubts?|failures?)\b/giu;
/** What may stand on the line before the marker: list marks, headings, bold, `Final`, `Overall`; never a quotation mark of a block (`>`). */
const lineStart = /^[\s#*_\-"'“`]*(?:\d+[.)]\s*)?[\s*_"'“`]*(?:(?:final|overall|task|verdict)\s+)?[\s*_"'“`]*$/iu;
/** Words after `success` on the same line that take it back or show that the line offers a choice. */
const takenBack = /\b(?:fail\w*|not|no|unsuccessful|partial\w*|except|but|unless|maybe|unclear)\b|n['’]t\b|\?|^\s*["'*_`]*\s*[|/]/iu;

/**
 * The verdict on the last `Status:` line of a reply, or null. Markdown, quotes, full-width colons, a line break after
 * the colon, and text after the verdict are tolerated. Null where the line is missing, says anything but success or failure,
 * or contradicts itself; a later unreadable line hides an earlier good one. A marker in the middle of a sentence counts only
 * when it follows a full stop and closes the reply: real judges quote a shop's "Status: Processing" (reference: benchmarks.md §3.4). Lines inside a
 * code block or a block quote are quotations, unless the block is the whole reply.
 *
 * @example
 * parseStatus('Thoughts: the filter "Status: Processing" is on.\n**Status:** "success"'); // 'success'
 */
export function parseStatus(reply: string): Status | null {
  const text = withoutQuotations(withoutCodeFence(reply).normalize('NFC'));
  let verdict: Status | null = null;
  for (const match of text.matchAll(marker)) {
    const before = text.slice(text.lastIndexOf('\n', match.index) + 1, match.index);
    const word = verdictWord.exec(match[1]!);
    const status = (word?.[1]?.toLowerCase() ?? null) as Status | null;
    if (before.length <= 80 && lineStart.test(before)) {
      verdict = status === 'success' && takenBack.test(word![2]!.replace(harmless, '')) ? null : status;
      continue;
    }
    const closes = text.slice(match.index + match[0].length).trim() === '' && /^[\s\p{P}*_`]*$/u.test(word?.[2] ?? '');
    if (status && closes && /[.!?;:)\]”"]\s+[*_"'“\s]*(?:final\s+)?$/iu.test(before) && balanced(before)) verdict = status;
    else if (status === 'failure' && verdict === 'success') verdict = null;
  }
  return verdict;
}

/** True when the marker does not stand inside a quotation that was opened on its line. */
function balanced(before: string): boolean {
  const count = (pattern: RegExp) => before.match(pattern)?.length ?? 0;
  return count(/["`]/g) % 2 === 0 && count(/[“«]/g) === count(/[”»]/g);
}

function withoutQuotations(text: string): string {
  return text.replace(/^[ \t]*(`{3,}|~{3,})[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm, '').replace(/^[ \t]*>.*$/gm, '');
}
