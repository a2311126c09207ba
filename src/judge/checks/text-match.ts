/** Text as people compare it: compatibility forms, typographic quotes and dashes unified, white space single, lower case. */
export function plain(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[“”„«»]/g, '"')
    .replace(/[‘’‚]/g, "'")
    .replace(/[‐‑‒–—−]/g, '-')
    .replace(/\s+/g, ' ')
    .trim()
    .toLowerCase();
}

/** As WebArena's exact match: trimmed, one pair of surrounding quotes removed, lower case (reference: benchmarks.md §5.2); a closing full stop is ignored too. */
export function plainAnswer(text: string): string {
  const value = plain(text).replace(/\.$/, '');
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1).trim() : value;
}

/**
 * Whether a text contains a phrase as whole words and whole numbers: `0` is not in `10`, nor `24.9` in `24.90` or `124.9`
 * (WebArena compares single tokens for the same reason; reference: benchmarks.md §5.2).
 *
 * @example
 * containsPhrase({ text: 'It costs £24.90.', phrase: '24.90' }); // true
 */
export function containsPhrase({ text, phrase }: { text: string; phrase: string }): boolean {
  const haystack = plain(text);
  const needle = plain(phrase);
  if (needle === '') return false;
  const wordStart = /^[\p{L}\p{N}]/u.test(needle);
  const wordEnd = /[\p{L}\p{N}]$/u.test(needle);
  const digitStart = /^\d/.test(needle);
  const digitEnd = /\d$/.test(needle);
  for (let at = haystack.indexOf(needle); at !== -1; at = haystack.indexOf(needle, at + 1)) {
    const before = haystack.slice(0, at);
    const after = haystack.slice(at + needle.length);
    if (wordStart && /[\p{L}\p{N}]$/u.test(before)) continue;
    if (wordEnd && /^[\p{L}\p{N}]/u.test(after)) continue;
    if (digitStart && /(?:\d[.,]|(?:^|[\s(£$€])-)$/.test(before)) continue;
    if (digitEnd && /^[.,]\d/.test(after)) continue;
    return true;
  }
  return false;
}
