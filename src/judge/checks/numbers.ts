const number =
  /(?<![\p{L}\p{N}_.,-])[-+−]?(?:\d{1,3}(?:[,'’ \u00a0\u202f]\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+,\d+|\d+,\d{1,2}(?!\d)|\d+(?:\.\d+)?)(?![\p{N}_]|[.,]\d|-\p{L}|-\d|(?:st|nd|rd|th)\b)/gu;

export interface FoundNumber {
  value: number;
  /** As it stands in the text. */
  raw: string;
  /** Where it begins in the normalised (NFKC) text. */
  index: number;
  /** The few characters before and after, for units. */
  before: string;
  after: string;
}

/**
 * Numbers in a text: thousands with comma, space or apostrophe, decimals with point or (up to two places) comma, signs. Parts of codes
 * (`BK-200`), of dates (`2026-01-02`), of versions (`1.2.3`) and ordinals (`7th`) are not numbers.
 *
 * @example
 * numbersIn('about 1,249.50 km').map(found => found.value); // [1249.5]
 */
export function numbersIn(text: string): FoundNumber[] {
  const normal = text.normalize('NFKC');
  return [...normal.matchAll(number)].map(match => ({
    value: toNumber(match[0]),
    raw: match[0],
    index: match.index,
    before: normal.slice(Math.max(0, match.index - 16), match.index),
    after: normal.slice(match.index + match[0].length, match.index + match[0].length + 24),
  }));
}

function toNumber(raw: string): number {
  const text = raw.replace('−', '-').replace(/['’ \u00a0\u202f]/g, '');
  if (/^[-+]?\d{1,3}(?:\.\d{3})+,\d+$/.test(text)) return Number(text.replaceAll('.', '').replace(',', '.'));
  if (/^[-+]?\d+,\d{1,2}$/.test(text)) return Number(text.replace(',', '.'));
  return Number(text.replaceAll(',', ''));
}

/** True when the unit stands right before or after the number: `£24.90`, `24.90 GBP`, `12 kg`, `5 km/h` is not `km`. */
export function hasUnit({ found, unit }: { found: FoundNumber; unit: string }): boolean {
  const wanted = unit.normalize('NFKC').trim().toLowerCase();
  const after = found.after.toLowerCase().replace(/^[\s-]+/, '');
  const before = found.before.toLowerCase().trimEnd();
  const boundary = /[\p{L}\p{N}]$/u.test(wanted) ? /^(?![\p{L}\p{N}/²³])/u : /^/;
  if (after.startsWith(wanted) && boundary.test(after.slice(wanted.length))) return true;
  return before.endsWith(wanted) && !(/^[\p{L}\p{N}]/u.test(wanted) && /[\p{L}\p{N}]$/u.test(before.slice(0, -wanted.length)));
}
