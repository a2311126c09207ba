/** The word that is nearest in spelling, or null when none is near (more than half of its letters differ). */
export function nearest({ word, among }: { word: string; among: readonly string[] }): string | null {
  const ranked = among.map(candidate => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }));
  const best = ranked.sort((a, b) => a.distance - b.distance)[0];
  return best && best.distance <= best.candidate.length / 2 ? best.candidate : null;
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
