/**
 * The candidate most like a mistyped word, or undefined when none is near: at most a third of the letters may differ
 * (two for short words). A swap of neighbours counts as one mistake.
 *
 * @example
 * didYouMean('step_limt', ['step_limit', 'time_limit_seconds']); // 'step_limit'
 */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase();
  let best: { candidate: string; distance: number } | undefined;
  for (const candidate of candidates) {
    const distance = editDistance(typed, candidate.toLowerCase());
    if (distance <= Math.max(2, Math.floor(candidate.length / 3)) && distance < candidate.length && (!best || distance < best.distance)) {
      best = { candidate, distance };
    }
  }
  return best?.candidate;
}

/** Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment). */
function editDistance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = last[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(replaced, last[j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length]!;
}
