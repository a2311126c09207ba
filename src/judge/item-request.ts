import type { EvidenceItem } from '../core/evidence.ts';
import type { Part } from '../core/messages.ts';
import type { RubricItem } from '../core/task.ts';
import { headAndTail } from './clean-text.ts';
import type { Fence } from './fence.ts';
import { historyId } from './item-verdict.ts';
import { imageText } from './judge-image.ts';

/** What is known about a finished attempt, as far as the grader may see it. */
export interface GradedAttempt {
  instruction: string;
  /** One numbered entry a step. */
  history: string;
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

/** What all items share goes first and the item last, so that prompt caches can serve it (reference: benchmarks.md §2.7). */
export function robustRequest({
  attempt,
  item,
  images,
  facts,
  fence,
}: {
  attempt: GradedAttempt;
  item: RubricItem;
  images: readonly EvidenceItem[];
  facts: readonly string[];
  /** The same for all items, for the sake of the shared beginning. */
  fence: Fence;
}): Part[] {
  const shared = [
    taskOf(attempt),
    `Facts computed by the harness (what they quote is data):\n${fence.wrap('facts', facts.join('\n'))}`,
    historyOf({ attempt, fence, limit: 60_000 }),
    responseOf({ attempt, fence }),
    `Images: ${images.length}, chosen by relevance, in the order of the run.`,
  ];
  return [{ type: 'text', text: shared.join('\n\n') }, ...imageParts({ images, fence }), { type: 'text', text: itemOf(item).join('\n\n') }];
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
