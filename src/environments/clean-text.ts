import { stripVTControlCharacters } from 'node:util';

/**
 * Control characters, zero-width characters, direction overrides and Unicode tags: text that people cannot see but a model
 * reads. Tab and newline stay; so do the joiners U+200C and U+200D, which scripts and emoji need.
 */
// biome-ignore lint/suspicious/noControlCharactersInRegex: removing them is the purpose
const invisible = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/gu;

/** Text of a page or a program as it may be shown to a model: well-formed Unicode without escapes and invisible characters. */
export function cleanText(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).toWellFormed().replace(invisible, '');
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
