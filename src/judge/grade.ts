import { ModelCallError } from '../core/errors.ts';
import type { EvidenceItem } from '../core/evidence.ts';
import type { Part } from '../core/messages.ts';
import type { Model } from '../core/model.ts';
import type { RubricItem, Task } from '../core/task.ts';
import { addUsage, noUsage } from '../core/usage.ts';
import type { GraderVerdict, ItemVerdict, JudgeRecord } from '../core/verdict.ts';
import { ask } from './ask.ts';
import type { CheckContext } from './checks/check-kind.ts';
import { runChecks } from './checks/run-checks.ts';
import { headAndTail } from './clean-text.ts';
import { createFence, type Fence } from './fence.ts';
import { validateImages } from './images.ts';
import { historyId, itemSchema, itemVerdict, parseItemReply } from './item-verdict.ts';
import { imageText } from './judge-image.ts';
import { mapLimited } from './map-limited.ts';
import { promptsDigest, rubricPrompt } from './prompts.ts';

/** `odysseys-protocol` follows the benchmark's own scorer with our prompts; `robust` is ours (DESIGN §6). */
export type GradeMode = 'odysseys-protocol' | 'robust';

/** Characters of history per call. */
const historyLimit = 200_000;

export interface GradeOptions {
  /** Null: no judge is configured; checks still run, rubric items stay `unasked`. */
  model: Model | null;
  task: Pick<Task, 'instruction' | 'rubric' | 'checks'>;
  /** Everything captured in the attempt, in step order. */
  evidence: readonly EvidenceItem[];
  /** One numbered entry a step: what the agent wrote and did, and what came of it. */
  history: string;
  finalResponse: string;
  checks: CheckContext;
  /** Secret of the attempt from which fences are made. */
  seed: string;
  signal: AbortSignal;
  mode?: GradeMode;
  /** Item calls under way at once in `robust` mode; the protocol asks one after the other. */
  concurrency?: number;
  /** Images per call; the protocol keeps the last ones (the scorer's cap was 200 before May 2026, then none; reference: benchmarks.md §2.6 step 5). */
  maxImages?: number;
}

/**
 * Grades a finished attempt once: checks by code first, then one judge call per rubric item (`item-<id>`), in the order of the task.
 * It does not throw for the judge: one that cannot be asked leaves items `unasked`, which is neither pass nor fail; three malformed
 * replies are `cannot-tell`.
 *
 * @example
 * const { items } = await grade({ model, task, evidence: store.items, history, finalResponse, checks, seed, signal });
 */
export async function grade({
  model,
  task,
  evidence,
  history,
  finalResponse,
  checks,
  seed,
  signal,
  mode = 'odysseys-protocol',
  concurrency = 4,
  maxImages = 200,
}: GradeOptions): Promise<GraderVerdict> {
  const record: JudgeRecord = { promptDigest: promptsDigest, usage: noUsage, costUsd: 0, calls: 0, removedCharacters: 0 };
  const checked = await runChecks({ checks: task.checks, context: checks });
  let obstacle = model ? await obstacleTo({ evidence }) : 'no judge model is configured';
  let judge = model?.name ?? 'none';
  const gradeItem = async (item: RubricItem): Promise<ItemVerdict> => {
    if (!model || obstacle !== null) return withoutVerdict({ item, status: 'unasked', reason: obstacle ?? 'no judge model is configured' });
    const key = `item-${item.id}`;
    const fence = createFence({ seed, key });
    try {
      const answer = await ask({
        model,
        role: 'grader',
        key,
        system: rubricPrompt,
        user: protocolRequest({ task, item, evidence, history, finalResponse, fence, maxImages }),
        schema: itemSchema,
        // The scorer's figure (reference: benchmarks.md §2.6 step 7); like it, no temperature is set.
        maxOutputTokens: 8_192,
        signal,
        parse: parseItemReply,
      });
      record.usage = addUsage(record.usage, answer.usage);
      record.costUsd = record.costUsd === null || answer.costUsd === null ? null : record.costUsd + answer.costUsd;
      record.calls += answer.tries;
      record.removedCharacters += fence.removed;
      judge = answer.model;
      if (!answer.value) return withoutVerdict({ item, status: 'cannot-tell', reason: answer.problem });
      return itemVerdict({ item, reply: answer.value, evidence });
    } catch (error) {
      // What is wrong with the endpoint, the budget or the run will be wrong for the other items too.
      obstacle = reasonOf({ error, signal });
      return withoutVerdict({ item, status: 'unasked', reason: obstacle });
    }
  };
  const limit = mode === 'robust' ? concurrency : 1;
  const graded = await mapLimited({ items: task.rubric, limit, signal: new AbortController().signal, work: gradeItem });
  const protocol = mode === 'robust' ? 'robust' : 'odysseys-protocol (own prompts, not leaderboard-comparable)';
  return { items: [...checked, ...graded], model: judge, protocol, record };
}

/** Order of the scorer: task, item, history, numbers of images and steps, then the images (reference: benchmarks.md §2.6 step 6). */
function protocolRequest({
  task,
  item,
  evidence,
  history,
  finalResponse,
  fence,
  maxImages,
}: {
  task: Pick<Task, 'instruction'>;
  item: RubricItem;
  evidence: readonly EvidenceItem[];
  history: string;
  finalResponse: string;
  fence: Fence;
  maxImages: number;
}): Part[] {
  const shown = evidence.slice(-maxImages);
  const steps = new Set(evidence.map(({ step }) => step)).size;
  const text = [
    `Task of the agent, as context:\n-----\n${task.instruction}\n-----`,
    `Requirement ${item.id}: ${item.requirement}`,
    `How to verify it: ${item.verification ?? '(nothing given)'}`,
    `History of the run, id "${historyId}":\n${fence.wrap('history', headAndTail({ text: history, limit: historyLimit }) || 'No step was recorded.')}`,
    `The agent's final response, a claim:\n${fence.wrap('final response', headAndTail({ text: finalResponse, limit: 8_000 }) || '(none)')}`,
    `Images: ${shown.length}, from ${steps} steps, in the order of the run.`,
  ].join('\n\n');
  return [
    { type: 'text', text },
    ...shown.flatMap((image): Part[] => [{ type: 'text', text: `Step ${image.step}. ${imageText({ image, fence })}` }, image.image]),
  ];
}

/** Why no judge may be asked, or null: an attempt without evidence has nothing to check. */
async function obstacleTo({ evidence }: { evidence: readonly EvidenceItem[] }): Promise<string | null> {
  if (evidence.length === 0) return 'nothing to check: no evidence was captured';
  try {
    await validateImages(evidence);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function reasonOf({ error, signal }: { error: unknown; signal: AbortSignal }): string {
  if (signal.aborted) return 'grading was interrupted';
  if (error instanceof ModelCallError) return `the judge could not be asked (${error.failure}): ${error.what}`;
  return `the judge could not be asked: ${error instanceof Error ? error.message : String(error)}`;
}

function withoutVerdict({ item, status, reason }: { item: RubricItem; status: 'unasked' | 'cannot-tell'; reason: string }): ItemVerdict {
  return { id: item.id, kind: 'rubric', requirement: item.requirement, status, reason, evidence: [] };
}
