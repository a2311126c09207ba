/** One item of a line: its text, and whether it is more than a bare name (then it takes no part in a series). */
export interface RunItem {
  text: string;
  plain: boolean;
}

/**
 * Shortens series of names that differ only by a number counting up, from four on: every name can still be read off.
 *
 * @example
 * joinSeries(['Page 1', 'Page 2', 'Page 3', 'Page 4', 'Next'].map(text => ({ text, plain: true }))); // ['Page 1 … Page 4 (4)', 'Next']
 */
export function joinSeries(items: readonly RunItem[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < items.length; ) {
    const length = seriesLength(items, at);
    const first = items[at] as RunItem;
    joined.push(length >= 4 ? `${first.text} … ${items[at + length - 1]?.text} (${length})` : first.text);
    at += length >= 4 ? length : 1;
  }
  return joined;
}

/** How many items from `start` on count up by one between the same prefix and suffix. */
export function seriesLength(items: readonly RunItem[], start: number): number {
  const first = items[start];
  if (!first?.plain) return 1;
  for (const { index, 0: digits } of [...first.text.matchAll(/\d+/g)].reverse()) {
    const prefix = first.text.slice(0, index);
    const suffix = first.text.slice(index + digits.length);
    let length = 1;
    while (items[start + length]?.plain && items[start + length]?.text === `${prefix}${Number(digits) + length}${suffix}`) length += 1;
    if (length >= 4) return length;
  }
  return 1;
}
