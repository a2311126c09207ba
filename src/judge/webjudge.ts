import { z } from 'zod';
import type { EvidenceItem } from '../core/evidence.ts';
import type { Part } from '../core/messages.ts';
import type { Model, ReplySchema } from '../core/model.ts';
import type { GraderVerdict, ImageJudgement, ItemVerdict } from '../core/verdict.ts';
import { ask } from './ask.ts';
import { headAndTail } from './clean-text.ts';
import { type CriticalPoint, drawCriticalPoints } from './critical-points.ts';
import { createFence, type Fence } from './fence.ts';
import { openSession } from './grader-session.ts';
import { distinctImages, isFresh, validateImages } from './images.ts';
import { judgeImage, taskText } from './judge-image.ts';
import { judgedBy, newRecord, spend } from './judge-record.ts';
import { mapLimited } from './map-limited.ts';
import { parseWholeJson } from './parse-json.ts';
import { parseStatus, type Status } from './parse-status.ts';
import { webJudgePrompt } from './prompts.ts';

/** An image takes part in the verdict from this score on, and at most this many do (reference: benchmarks.md §3.2 step 3). */
const threshold = 3;
const maxImages = 50;

const schema: ReplySchema = {
  name: 'webjudge_verdict',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['thoughts', 'status'],
    properties: { thoughts: { type: 'string' }, status: { type: 'string', enum: ['success', 'failure'] } },
  },
};
const reply = z.object({ thoughts: z.string().default(''), status: z.enum(['success', 'failure']) });

/** The one item of this judge. */
export const webJudgeItem = { id: 'webjudge', requirement: 'Every key point of the task is satisfied.' };

/**
 * Grades an attempt as Online-Mind2Web's WebJudge does (reference: benchmarks.md §3.2), with our prompts: key points, a score for
 * every image, the images from 3 up with their reasons, one verdict. Its evidence is images and actions only; the agent's thoughts and
 * answer are kept out on purpose. The verdict is one item, `webjudge`. It never throws for the judge: `unasked` where it could not be asked.
 * Keys: `points` (role `critical-points`), `webjudge/image-1` … (role `coach`), `webjudge/verdict` (role `grader`).
 *
 * @example
 * const { items } = await webJudge({ model, instruction, evidence: store.items, actions: ['open /', 'click Blue'], seed, signal });
 */
export async function webJudge({
  model,
  instruction,
  evidence,
  actions,
  points: given,
  seed,
  signal,
  concurrency = 4,
}: {
  model: Model;
  instruction: string;
  evidence: readonly EvidenceItem[];
  /** What the agent did, in order, without its thoughts. */
  actions: readonly string[];
  /** Key points that were drawn before; left out: one call draws them. */
  points?: readonly CriticalPoint[];
  seed: string;
  signal: AbortSignal;
  concurrency?: number;
}): Promise<GraderVerdict> {
  const record = newRecord();
  const session = openSession({ model, evidence, record, signal });
  const images = distinctImages(evidence).filter(image => image.source === 'harness' && !isFresh(image));
  let judge = model.name;
  const decided = await session.attempt(async (): Promise<Omit<ItemVerdict, 'id' | 'kind' | 'requirement'>> => {
    if (images.length === 0 && actions.length === 0) throw new Error('nothing to check: no image and no action was recorded');
    await validateImages(images);
    const points = given ?? (await drawCriticalPoints({ model, instruction, signal })).points;
    const judgements = await mapLimited({
      items: images,
      limit: concurrency,
      signal,
      work: (image, { index, signal }) => {
        const key = `webjudge/image-${index + 1}`;
        return judgeImage({ model, key, fence: createFence({ seed, key }), instruction, points, image, cache: new Map(), signal, record });
      },
    });
    const kept = images
      .map((image, index) => ({ image, judgement: judgements[index]! }))
      .filter(({ judgement }) => judgement.score >= threshold);
    const shown = kept.slice(0, maxImages);
    const key = 'webjudge/verdict';
    const answer = await ask({
      model,
      role: 'grader',
      key,
      system: webJudgePrompt,
      user: verdictRequest({ instruction, points, actions, shown, fence: createFence({ seed, key }) }),
      schema,
      // WebJudge allows 512; the verdict of a long task with many key points needs more.
      maxOutputTokens: 4_096,
      signal,
      parse: parseVerdict,
    });
    spend({ record, answer });
    judge = answer.model;
    const by = { judgedBy: judgedBy(answer) };
    if (!answer.value) return { status: 'cannot-tell', reason: answer.problem, evidence: [], votes: ['cannot-tell'], ...by };
    const status = answer.value.status === 'success' ? 'pass' : 'fail';
    const reason = answer.value.thoughts || '(no reason given)';
    return { status, reason, evidence: shown.map(({ image }) => image.id), votes: [status], ...by };
  });
  const verdict = decided ?? { status: 'unasked' as const, reason: session.obstacle ?? 'the judge was not asked', evidence: [] };
  return {
    items: [{ ...webJudgeItem, kind: 'rubric', ...verdict }],
    model: judge,
    record,
  };
}

function verdictRequest({
  instruction,
  points,
  actions,
  shown,
  fence,
}: {
  instruction: string;
  points: readonly CriticalPoint[];
  actions: readonly string[];
  shown: readonly { image: EvidenceItem; judgement: ImageJudgement }[];
  fence: Fence;
}): Part[] {
  const numbered = (lines: readonly string[]) => lines.map((line, index) => `${index + 1}. ${line}`).join('\n');
  const done = headAndTail({ text: numbered(actions), limit: 60_000 }) || '(none)';
  const reasons = numbered(shown.map(({ judgement }) => judgement.reasoning)) || '(none)';
  const text = [
    taskText({ instruction, points }),
    `Actions:\n${fence.wrap('actions', done)}`,
    `Reasons for the ${shown.length} images that follow:\n${fence.wrap('reasons', reasons)}`,
  ].join('\n\n');
  return [{ type: 'text', text }, ...shown.map(({ image }) => image.image)];
}

function parseVerdict(text: string): { status: Status; thoughts: string } | null {
  const json = parseWholeJson(text);
  if (json) return reply.safeParse(json).data ?? null;
  const status = parseStatus(text);
  return status && { status, thoughts: text.trim().slice(0, 8_000) };
}
