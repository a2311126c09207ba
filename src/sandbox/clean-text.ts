/** CSI, OSC (ended by BEL or ST), DCS and friends, and two-character escapes: whole sequences, so that no debris stays. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const escapeSequence = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[PX^_][^\u001b]*(?:\u001b\\)?|[ -/]*[0-~])/g;

/** C0 but tab and newline, DEL, C1, bidi controls, the BOM and Unicode tag characters (text a person cannot see). */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/gu;

/**
 * Text that is safe in a prompt, a log and a terminal: escape sequences, control characters, bidi controls and Unicode
 * tags removed, line ends made `\n`, always well-formed (reliability.md matrix C7, E21, I9).
 *
 * @example
 * cleanText('\u001b[31mred\u001b[0m\r\n'); // 'red\n'
 */
export function cleanText(text: string): string {
  return text.replace(escapeSequence, '').replace(/\r\n?/g, '\n').replace(unseen, '').toWellFormed();
}

/** Bytes of unknown origin as {@link cleanText}: invalid UTF-8 becomes U+FFFD. */
export function cleanBytes(bytes: Uint8Array): string {
  return cleanText(new TextDecoder('utf-8').decode(bytes));
}

/**
 * The first and the last part of a long text with a note between them that says how much is missing and where the whole is
 * (Webwright D8: tracebacks and final prints stand at the end). Never cuts through a surrogate pair.
 *
 * @example
 * headAndTail({ text: 'abcdef', maxChars: 4, note: omitted => `[${omitted} omitted]` }); // 'ab\n[2 omitted]\nef'
 */
export function headAndTail({ text, maxChars, note }: { text: string; maxChars: number; note: (omittedChars: number) => string }): string {
  if (text.length <= maxChars) return text;
  const half = Math.floor(maxChars / 2);
  const head = text.slice(0, half);
  const tail = text.slice(text.length - half);
  const whole = (part: string) => part.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '');
  return `${whole(head)}\n${note(text.length - 2 * half)}\n${whole(tail)}`;
}
