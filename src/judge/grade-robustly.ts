import type { EvidenceItem } from '../core/evidence.ts';
import type { RubricItem } from '../core/task.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import { answerValues, isAboutAnswer } from './answer-values.ts';
import { afterCanary, canaryItem } from './canary.ts';
import type { CheckContext } from './checks/check-kind.ts';
import { computedFacts } from './facts.ts';
import { createFence } from './fence.ts';
import type { GraderSession } from './grader-session.ts';
import { distinctImages, isFresh, withoutEqualFresh } from './images.ts';
import { type GradedAttempt, robustRequest } from './item-request.ts';
import { robustSchema } from './item-verdict.ts';
import { mapLimited } from './map-limited.ts';
import { robustPrompt } from './prompts.ts';
import { allImages, finalStates, imagesForItem, type Relevance, rateRelevance } from './relevance.ts';
import { citableCheck, citableFile } from './saved-files.ts';
import { maxScored, spread } from './select-images.ts';
import { contradictsCheck, isBorderline, lacksNumber, majority } from './votes.ts';

/**
 * The rubric in our own way (reference: benchmarks.md §15): computed facts, distinct images, relevance in batches of four on long runs, the
 * five best per item beside the final state and the pages that state the answer, two more votes on borderline items and where a check
 * says otherwise, and a canary where anything passed.
 */
export async function gradeRobustly({
  session,
  rubric,
  attempt,
  evidence,
  checked,
  context,
  seed,
  concurrency,
  maxImages,
}: {
  session: GraderSession;
  rubric: readonly RubricItem[];
  attempt: GradedAttempt;
  evidence: readonly EvidenceItem[];
  checked: readonly ItemVerdict[];
  context: Pick<CheckContext, 'pages' | 'downloads'>;
  seed: string;
  concurrency: number;
  maxImages: number;
}): Promise<ItemVerdict[]> {
  const { model, record, signal } = session;
  const images = spread({ items: distinctImages(withoutEqualFresh(evidence)), max: maxScored });
  const files = context.downloads;
  const fileTexts = files.map(citableFile);
  const stated = [...images.filter(({ source }) => source === 'harness'), ...fileTexts];
  const values = answerValues({ finalResponse: attempt.finalResponse, evidence: stated });
  const facts = computedFacts({ checked, context, evidence, values });
  // One fence for all items, so that their requests share their beginning; the run is over, no page can learn it any more.
  const fence = createFence({ seed, key: 'grade' });
  // What the harness opened anew always goes along; it needs no rating.
  const rated = images.filter(image => !isFresh(image));
  const few = rated.length <= Math.min(allImages, maxImages);
  const relevance: Relevance =
    (few
      ? null
      : await session.attempt(() =>
          rateRelevance({ model, instruction: attempt.instruction, images: rated, rubric, fence, concurrency, record, signal }),
        )) ?? new Map();
  const chosenFor = (item: RubricItem) => (few ? images : imagesForItem({ images, relevance, item, values, max: maxImages }));
  const chosen = new Map(rubric.map(item => [item.id, chosenFor(item)]));
  const finals = finalStates(images);
  const everywhere = few ? images : finals.filter(image => [...chosen.values()].every(each => each.includes(image))).reverse();

  const vote = (item: RubricItem, key: string): Promise<ItemVerdict> => {
    const own = (chosen.get(item.id) ?? chosenFor(item)).filter(image => !everywhere.includes(image));
    const request = robustRequest({ attempt, item, shared: everywhere, chosen: own, files, facts, fence });
    const mustNameValues = values.length > 0 && isAboutAnswer(item);
    return session.decide({ item, key, system: robustPrompt, ...request, schema: robustSchema, mustNameValues });
  };
  const decide = async (item: RubricItem) => {
    const key = `item-${item.id}`;
    const first = await vote(item, key);
    if (
      !isBorderline(first) &&
      !contradictsCheck({ item: first, checked }) &&
      !lacksNumber(first, [...evidence, ...fileTexts, ...checked.map(citableCheck)])
    )
      return first;
    const more = [await vote(item, `${key}/vote-2`), await vote(item, `${key}/vote-3`)];
    return more.find(({ status }) => status === 'unasked') ?? majority([first, ...more]);
  };
  // The first item alone: it writes what the provider's cache then serves to all others.
  const [first, ...rest] = rubric;
  const items = first ? [await decide(first)] : [];
  const others = await mapLimited({
    items: rest,
    limit: concurrency,
    // The session ends the asking itself; every item gets its verdict.
    signal: new AbortController().signal,
    work: decide,
  });
  items.push(...others);
  const canary = items.some(({ status }) => status === 'pass') ? await vote(canaryItem(seed), 'item-canary') : null;
  record.removedCharacters += fence.removed;
  return canary ? afterCanary({ items, canary }) : items;
}
