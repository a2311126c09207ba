import { digestOf } from './digest.ts';

/**
 * What a person would not see but a model reads: terminal escapes, control characters, and everything Unicode calls ignorable
 * (zero-width, bidirectional marks, fillers, the tag block, variation selectors but those of emoji) (reference: reliability.md §6.2, I4, I9).
 */
const invisible =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|(?!\t|\n|\ufe0e|\ufe0f)[\p{Cc}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu;

/**
 * Text without control and invisible characters, well-formed, with `\n` line ends; `removed` counts what was taken out
 * (a terminal sequence counts as one). Line ends that were only rewritten are not counted.
 *
 * @example
 * cleanText('pass\u200bed'); // { text: 'passed', removed: 1 }
 */
export function cleanText(raw: string): { text: string; removed: number } {
  let removed = 0;
  const text = raw
    .toWellFormed()
    .replace(/\r\n?|\u2028|\u2029/g, '\n')
    .replace(invisible, () => {
      removed += 1;
      return '';
    });
  return { text, removed };
}

/** A `data:` address whose content is longer than a person would read. */
const longDataUrl = /[Dd][Aa][Tt][Aa]:([\w.+-]*\/?[\w.+-]*)(?:;[\w=.-]+)*,([^\s"'<>)\]]{100,})/g;

/** Long `data:` addresses shortened to type, length and digest, so that a page cannot flood a judge (reference: reliability.md §6.5 I7). */
export function shortenDataUrls(text: string): string {
  return text.replace(
    longDataUrl,
    (_, type: string, content: string) => `data:${type} [${content.length} characters, sha256 ${digestOf(content).slice(0, 12)}]`,
  );
}

/** The beginning and the end of a text that is longer than `limit` characters, with a line that says how much is left out. */
export function headAndTail({ text, limit }: { text: string; limit: number }): string {
  if (text.length <= limit) return text;
  const half = Math.floor(limit / 2);
  return `${text.slice(0, half).toWellFormed()}\n[… ${text.length - 2 * half} characters left out …]\n${text.slice(-half).toWellFormed()}`;
}
