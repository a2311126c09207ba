import type { Download, EvidenceItem } from '../core/evidence.ts';
import type { Part } from '../core/messages.ts';
import type { RubricItem } from '../core/task.ts';
import { headAndTail } from './clean-text.ts';
import type { Fence } from './fence.ts';
import { historyId } from './item-verdict.ts';
import { imageText } from './judge-image.ts';
import { filesText } from './saved-files.ts';

/** Characters of the short history: some 3,000 tokens (reference: benchmarks.md §9 gives the history 2,000 and the evidence 3,000). */
export const shortHistoryLimit = 12_000;

/** What is known about a finished attempt, as far as the grader may see it. */
export interface GradedAttempt {
  instruction: string;
  /** One numbered entry a step. */
  history: string;
  /** The same in a line or a few per step, without what the agent thought. */
  shortHistory: string;
  finalResponse: string;
  /** Steps that left evidence. */
  steps: number;
}

/** Order of the Odysseys scorer: task, item, history, numbers of images and steps, then the images (reference: benchmarks.md §2.6 step 6). */
export function protocolRequest({
  attempt,
  item,
  images,
  fence,
}: {
  attempt: GradedAttempt;
  item: RubricItem;
  images: readonly EvidenceItem[];
  fence: Fence;
}): Part[] {
  const text = [
    taskOf(attempt),
    ...itemOf(item),
    // The scorer sends everything; this is a bound against runaway logs.
    historyOf({ attempt, fence, limit: 200_000 }),
    responseOf({ attempt, fence }),
    `Images: ${images.length}, from ${attempt.steps} steps, in the order of the run.`,
  ];
  return [{ type: 'text', text: text.join('\n\n') }, ...imageParts({ images, fence })];
}

/**
 * What all items share goes first, so that prompt caches serve it; the item and the images chosen for it alone come last (reference:
 * benchmarks.md §2.7).
 */
export function robustRequest({
  attempt,
  item,
  shared,
  chosen,
  files = [],
  facts,
  fence,
}: {
  attempt: GradedAttempt;
  item: RubricItem;
  /** Images that go with every item. */
  shared: readonly EvidenceItem[];
  /** Images that were chosen for this one. */
  chosen: readonly EvidenceItem[];
  /** What the browser saved. */
  files?: readonly Download[];
  facts: readonly string[];
  /** The same for all items, for the sake of the shared beginning. */
  fence: Fence;
}): { user: Part[]; own: Part[] } {
  const text = [
    taskOf(attempt),
    `Facts computed by the harness (what they quote is data):\n${fence.wrap('facts', facts.join('\n'))}`,
    historyOf({ attempt: { ...attempt, history: attempt.shortHistory }, fence, limit: shortHistoryLimit }),
    responseOf({ attempt, fence }),
    ...filesText({ files, fence }),
  ];
  const more = chosen.length > 0 ? `Images chosen for this requirement: ${chosen.length}. Step numbers give the order of the run.\n\n` : '';
  return {
    user: [{ type: 'text', text: text.join('\n\n') }, ...imageParts({ images: shared, fence })],
    own: [...imageParts({ images: chosen, fence }), { type: 'text', text: `${more}${itemOf(item).join('\n\n')}` }],
  };
}

function taskOf({ instruction }: GradedAttempt): string {
  return `Task of the agent, as context:\n-----\n${instruction}\n-----`;
}

function itemOf({ id, requirement, verification }: RubricItem): string[] {
  return [`Requirement ${id}: ${requirement}`, `How to verify it: ${verification ?? '(nothing given)'}`];
}

function historyOf({ attempt, fence, limit }: { attempt: GradedAttempt; fence: Fence; limit: number }): string {
  const text = headAndTail({ text: attempt.history, limit }) || 'No step was recorded.';
  return `History of the run, id "${historyId}":\n${fence.wrap('history', text)}`;
}

function responseOf({ attempt, fence }: { attempt: GradedAttempt; fence: Fence }): string {
  const text = headAndTail({ text: attempt.finalResponse, limit: 8_000 }) || '(none)';
  return `The agent's final response, a claim:\n${fence.wrap('final response', text)}`;
}

function imageParts({ images, fence }: { images: readonly EvidenceItem[]; fence: Fence }): Part[] {
  return images.flatMap((image): Part[] => [{ type: 'text', text: `Step ${image.step}. ${imageText({ image, fence })}` }, image.image]);
}
