import type { ImageJudgement } from '../core/verdict.ts';
import type { CriticalPoint } from './critical-points.ts';

/** Images that are looked at one by one at most: the cap of the Odysseys scorer before May 2026 (reference: benchmarks.md §2.6 step 5). */
export const maxScored = 200;

/** Fraction of width and height at which an image is judged: its text must stay readable. */
export const detailScale = 0.75;
/** Fraction for an image that only completes the picture of a run; what it shows has been put into words already. */
export const overviewScale = 0.5;

/** At most `max` items: all, or the first, the last and evenly spaced ones between them. */
export function spread<T>({ items, max }: { items: readonly T[]; max: number }): T[] {
  if (items.length <= max) return [...items];
  if (max === 1) return items.slice(-1);
  return Array.from({ length: max }, (_, index) => items[Math.round((index * (items.length - 1)) / (max - 1))]!);
}

/** The last image, and the best of each critical point: those that a verdict will rest on. */
export function decisiveImages<T>({
  images,
  judgements,
  points,
}: {
  images: readonly T[];
  judgements: readonly ImageJudgement[];
  points: readonly CriticalPoint[];
}): Set<T> {
  const ranked = rank(judgements);
  const best = points.map(({ id }) => ranked.find(index => judgements[index]!.shows?.includes(id)) ?? ranked[0]);
  return new Set([images.length - 1, ...best].flatMap(index => (index === undefined || index < 0 ? [] : [images[index]!])));
}

/** Positions from the best score down, the newer of two equals first. */
function rank(judgements: readonly ImageJudgement[]): number[] {
  return judgements.map((_, index) => index).sort((a, b) => judgements[b]!.score - judgements[a]!.score || b - a);
}

/**
 * The images for a verdict: all when they fit; else the last one (the final state), then in turns the best image of each critical
 * point, then the best of the rest. A fixed threshold would leave half of all runs without an image (reference: benchmarks.md §3.4).
 * Score decides, the newer of two equals wins; what the agent prefers has no influence. The order of the run is kept.
 */
export function selectForPoints<T>({
  images,
  judgements,
  points,
  max,
}: {
  images: readonly T[];
  judgements: readonly ImageJudgement[];
  points: readonly CriticalPoint[];
  max: number;
}): T[] {
  if (images.length <= max) return [...images];
  const chosen = new Set<number>(max > 0 ? [images.length - 1] : []);
  const ranked = rank(judgements);
  const queues = points.map(({ id }) => ranked.filter(index => judgements[index]!.shows?.includes(id)));
  while (chosen.size < max) {
    const before = chosen.size;
    for (const queue of queues) {
      const index = queue.find(candidate => !chosen.has(candidate));
      if (index !== undefined && chosen.size < max) chosen.add(index);
    }
    if (chosen.size === before) break;
  }
  for (const index of ranked) if (chosen.size < max) chosen.add(index);
  return [...chosen].sort((a, b) => a - b).map(index => images[index]!);
}
