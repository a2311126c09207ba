import type { ModelRole } from '../core/model.ts';
import type { RecordedPrompt } from './recorded-prompt.ts';
import type { RecordedCall } from './recording-file.ts';

/** The recorded call somebody may have meant: the one with the same prompt, else the one of the role whose key is most alike. */
export function nearestCall({
  calls,
  role,
  key,
  prompt,
}: {
  calls: readonly RecordedCall[];
  role: ModelRole;
  key: string;
  prompt: RecordedPrompt;
}): RecordedCall | null {
  const same = calls.find(call => call.prompt.digest === prompt.digest);
  if (same) return same;
  const ofRole = calls.filter(call => call.role === role);
  const distances = ofRole.map(call => editDistance(call.key, key));
  return ofRole[distances.indexOf(Math.min(...distances))] ?? null;
}

/** Insertions, deletions and replacements between two keys. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    }
    row = next;
  }
  return row[b.length]!;
}
