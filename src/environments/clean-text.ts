import { cleanText as cleanOutput } from '../sandbox/clean-text.ts';

/** Zero-width characters and direction marks. The joiners U+200C and U+200D stay: scripts and emoji need them. */
const zeroWidth = /[\u200B\u200E\u200F\u2060-\u2064]/g;

/** Text of a page or a program as it may be shown to a model: well-formed, without escapes and without what people cannot see. */
export function cleanText(text: string): string {
  return cleanOutput(text).replace(zeroWidth, '');
}

/**
 * One line of at most `chars` characters; what was cut is counted.
 *
 * @example
 * oneLine('a\n  b', 10); // 'a b'
 */
export function oneLine(text: string, chars: number): string {
  const line = cleanText(text.slice(0, chars * 4))
    .replace(/\s+/g, ' ')
    .trim();
  return line.length <= chars && text.length <= chars * 4 ? line : `${line.slice(0, chars).toWellFormed()}… (${text.length} characters)`;
}
