import type { ImageJudgement } from '../core/verdict.ts';
import type { CriticalPoint } from './critical-points.ts';

/** Images that are looked at one by one at most: the cap of the Odysseys scorer before May 2026 (reference: benchmarks.md §2.6 step 5). */
export const maxScored = 200;

/**
 * Fractions of width and height at which an image is sent. `detail`: it is judged, so its text must stay readable. `overview`: it completes the
 * picture of a run, what it shows has been put into words. `glance`: the first look found that it proves nothing.
 */
export const scales = { detail: 0.75, overview: 0.5, glance: 0.4 };
export type Weight = keyof typeof scales;

/** At most `max` items: all, or the first, the last and evenly spaced ones between them. */
export function spread<T>({ items, max }: { items: readonly T[]; max: number }): T[] {
  if (items.length <= max) return [...items];
  if (max === 1) return items.slice(-1);
  return Array.from({ length: max }, (_, index) => items[Math.round((index * (items.length - 1)) / (max - 1))]!);
}

/** A first look that gave less found nothing of use. */
const usefulScore = 3;

/** How much a verdict rests on each image: most on the best of each critical point, something on the last one, the final state. */
export function weightsOf<T>({
  images,
  judgements,
  points,
}: {
  images: readonly T[];
  judgements: readonly ImageJudgement[];
  points: readonly CriticalPoint[];
}): Map<T, Weight> {
  const ranked = rank(judgements);
  const best = points.map(({ id }) => ranked.find(index => judgements[index]!.shows?.includes(id)) ?? ranked[0]);
  const decisive = new Set(best);
  return new Map(
    images.map((image, index) => {
      // An unreadable first look (0) says nothing about the image.
      const { score } = judgements[index]!;
      const isUseful = score === 0 || score >= usefulScore || index === images.length - 1;
      return [image, decisive.has(index) ? 'detail' : isUseful ? 'overview' : 'glance'];
    }),
  );
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
