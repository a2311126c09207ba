import type { EvidenceItem } from '../core/evidence.ts';
import type { RubricItem } from '../core/task.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import { afterCanary, canaryItem } from './canary.ts';
import { createFence } from './fence.ts';
import type { GraderSession } from './grader-session.ts';
import { distinctImages } from './images.ts';
import { type GradedAttempt, robustRequest } from './item-request.ts';
import { robustSchema } from './item-verdict.ts';
import { mapLimited } from './map-limited.ts';
import { robustPrompt } from './prompts.ts';
import { allImages, imagesForItem, type Relevance, rateRelevance } from './relevance.ts';
import { maxScored, spread } from './select-images.ts';
import { isBorderline, majority } from './votes.ts';

/**
 * The rubric in our own way (reference: benchmarks.md §15): computed facts, distinct images, relevance in batches of four on long runs, the
 * five best per item beside the final state, two more votes on borderline items, and a canary where anything passed.
 */
export async function gradeRobustly({
  session,
  rubric,
  attempt,
  evidence,
  facts,
  seed,
  concurrency,
  maxImages,
}: {
  session: GraderSession;
  rubric: readonly RubricItem[];
  attempt: GradedAttempt;
  evidence: readonly EvidenceItem[];
  facts: readonly string[];
  seed: string;
  concurrency: number;
  maxImages: number;
}): Promise<ItemVerdict[]> {
  const { model, record, signal } = session;
  const images = spread({ items: distinctImages(evidence), max: maxScored });
  // One fence for all items, so that their requests share their beginning; the run is over, no page can learn it any more.
  const fence = createFence({ seed, key: 'grade' });
  const few = images.length <= Math.min(allImages, maxImages);
  const relevance: Relevance =
    (few
      ? null
      : await session.attempt(() =>
          rateRelevance({ model, instruction: attempt.instruction, images, rubric, fence, concurrency, record, signal }),
        )) ?? new Map();
  const imagesOf = (item: RubricItem) => (few ? images : imagesForItem({ images, relevance, itemId: item.id, max: maxImages }));

  const vote = (item: RubricItem, key: string): Promise<ItemVerdict> => {
    const user = robustRequest({ attempt, item, images: imagesOf(item), facts, fence });
    return session.decide({ item, key, system: robustPrompt, user, schema: robustSchema });
  };
  const items = await mapLimited({
    items: rubric,
    limit: concurrency,
    // The session ends the asking itself; every item gets its verdict.
    signal: new AbortController().signal,
    work: async item => {
      const key = `item-${item.id}`;
      const first = await vote(item, key);
      if (!isBorderline(first)) return first;
      const more = [await vote(item, `${key}/vote-2`), await vote(item, `${key}/vote-3`)];
      return more.find(({ status }) => status === 'unasked') ?? majority([first, ...more]);
    },
  });
  const canary = items.some(({ status }) => status === 'pass') ? await vote(canaryItem(seed), 'item-canary') : null;
  record.removedCharacters += fence.removed;
  return canary ? afterCanary({ items, canary }) : items;
}
