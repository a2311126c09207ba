import { createHash } from 'node:crypto';
import type { LabelledAttempt } from '../../judge/labels.ts';

/**
 * Attempts in an order that says nothing about their labels, the same for the same ids. With `size`: as many of each class (one more of the
 * successes when it is odd), of different kinds and tasks as far as there are any.
 */
export function sampled({ attempts, size }: { attempts: readonly LabelledAttempt[]; size: number | undefined }): LabelledAttempt[] {
  const place = ({ id }: LabelledAttempt) => createHash('sha256').update(id).digest('hex');
  const shuffled = [...attempts].sort((a, b) => (place(a) < place(b) ? -1 : 1));
  if (size === undefined) return shuffled;
  const taken: LabelledAttempt[] = [];
  for (const [label, wanted] of [
    [0, Math.floor(size / 2)],
    [1, Math.ceil(size / 2)],
  ] as const) {
    const left = shuffled.filter(attempt => attempt.label === label);
    const alike = (attempt: LabelledAttempt) =>
      taken.filter(({ kind, task }) => (kind !== undefined && kind === attempt.kind) || (task !== undefined && task === attempt.task))
        .length;
    for (let count = 0; count < wanted && left.length > 0; count += 1) {
      const least = Math.min(...left.map(alike));
      taken.push(
        ...left.splice(
          left.findIndex(attempt => alike(attempt) === least),
          1,
        ),
      );
    }
  }
  return shuffled.filter(attempt => taken.includes(attempt));
}
