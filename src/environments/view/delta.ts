import { short } from './items.ts';
import { type Line, lineText } from './lines.ts';

/** Longer changes are no delta any more: comparing them costs more than the new view. */
const maxChanged = 400;

/**
 * What changed between two views of one page: removed and added lines under the place where they stand; of a line with many
 * items only the items. An empty text means no change, null that the whole view is shorter to read.
 *
 * @example
 * deltaText({ before: [{ depth: 0, text: 'Cart: 0' }], after: [{ depth: 0, text: 'Cart: 1' }] }); // '- Cart: 0\n+ Cart: 1'
 */
export function deltaText({ before, after }: { before: readonly Line[]; after: readonly Line[] }): string | null {
  const hunks = changes(before.map(lineText), after.map(lineText));
  if (hunks === null) return null;
  const out: string[] = [];
  let place = '';
  for (const { from, removed, to, added } of hunks) {
    const old = before.slice(from, from + removed);
    const fresh = after.slice(to, to + added);
    const here = placeOf(added > 0 ? { lines: after, index: to } : { lines: before, index: from });
    if (here !== place) out.push(`in ${here || 'the page'}:`);
    place = here;
    out.push(...hunkLines(old, fresh));
  }
  const text = out.join('\n');
  const whole = after.reduce((sum, line) => sum + lineText(line).length + 1, 0);
  return text.length > whole * 0.6 ? null : text;
}

function hunkLines(old: readonly Line[], fresh: readonly Line[]): string[] {
  const [first] = old;
  const [second] = fresh;
  if (old.length === 1 && fresh.length === 1 && first?.items && second?.items && first.text === second.text) {
    const gone = first.items.filter(item => !second.items?.includes(item));
    const come = second.items.filter(item => !first.items?.includes(item));
    const moved = gone.length + come.length === 0 ? ['(same ones in another order)'] : [];
    return [`~ ${[first.text, ...gone.map(item => `-${item}`), ...come.map(item => `+${item}`), ...moved].join(' ')}`];
  }
  return [...old.map(line => `- ${short(lineText(line).trim(), 120)}`), ...fresh.map(line => `+ ${lineText(line).trim()}`)];
}

/** The containers around a line, the innermost two. */
function placeOf({ lines, index }: { lines: readonly Line[]; index: number }): string {
  const around: string[] = [];
  let depth = lines[index]?.depth ?? 0;
  for (let at = index - 1; at >= 0 && depth > 0; at -= 1) {
    const line = lines[at] as Line;
    if (line.depth >= depth) continue;
    depth = line.depth;
    around.unshift(short(line.text.split(/, each(?: unless it says otherwise)?:/)[0] ?? '', 60));
  }
  return around.slice(-2).join(' > ');
}

interface Hunk {
  from: number;
  removed: number;
  to: number;
  added: number;
}

/** Stretches that differ, by the longest common subsequence; null when too much does. */
function changes(before: readonly string[], after: readonly string[]): Hunk[] | null {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  if (old.length > maxChanged || fresh.length > maxChanged) return null;
  // common[i][j]: length of the longest common subsequence of old from i on and fresh from j on.
  const common = Array.from({ length: old.length + 1 }, () => new Uint16Array(fresh.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = fresh.length - 1; j >= 0; j -= 1) {
      (common[i] as Uint16Array)[j] = old[i] === fresh[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const hunks: Hunk[] = [];
  for (let i = 0, j = 0; i < old.length || j < fresh.length; ) {
    if (i < old.length && j < fresh.length && old[i] === fresh[j]) {
      i += 1;
      j += 1;
      continue;
    }
    const from = i;
    const to = j;
    while ((i < old.length || j < fresh.length) && !(i < old.length && j < fresh.length && old[i] === fresh[j])) {
      if (j >= fresh.length || (i < old.length && at(i + 1, j) >= at(i, j + 1))) i += 1;
      else j += 1;
    }
    hunks.push({ from: start + from, removed: i - from, to: start + to, added: j - to });
  }
  return hunks;
}
