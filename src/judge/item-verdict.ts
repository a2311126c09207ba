import { z } from 'zod';
import type { ReplySchema } from '../core/model.ts';
import type { RubricItem } from '../core/task.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import { parseWholeJson } from './parse-json.ts';
import { parseStatus } from './parse-status.ts';
import type { Citable } from './saved-files.ts';
import { isSelfMade } from './self-made.ts';

const fields = {
  reason: { type: 'string' },
  status: { type: 'string', enum: ['pass', 'fail', 'cannot-tell'] },
  evidence: { type: 'array', items: { type: 'string' }, description: 'Ids of what the answer relies on.' },
  confidence: { type: 'number' },
};
const object = (properties: Record<string, unknown>) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
});

/** Reply of the grader in `robust`. */
export const robustSchema: ReplySchema = {
  name: 'rubric_verdict',
  schema: object({
    ...fields,
    values: { type: 'array', items: object({ value: { type: 'string' }, evidence: { type: 'string' } }) },
    blocked: { type: 'boolean' },
  }),
};

const reply = z.object({
  reason: z.string().default(''),
  status: z.enum(['pass', 'fail', 'cannot-tell']),
  evidence: z.array(z.string()).default([]),
  confidence: z.number().min(0).max(1).optional().catch(undefined),
  values: z.array(z.object({ value: z.string(), evidence: z.string() })).default([]),
  blocked: z.boolean().default(false),
});

/** What a judge's reply says about an item, before it is held against the evidence. */
export type ItemReply = z.infer<typeof reply> & Pick<ItemVerdict, 'strict'>;

/** A grader's reply: the JSON object, or the text form with `Evidence:` and a last `Status:` line. Null when it is neither. */
export function parseItemReply(text: string): ItemReply | null {
  const json = parseWholeJson(text);
  if (json) return reply.safeParse(json).data ?? null;
  const status = parseStatus(text);
  if (!status) return null;
  const cited = [...text.matchAll(/^[\s*_#-]*evidence["'*_ ]*[:：]([^\n]*)/gimu)].at(-1)?.[1] ?? '';
  return {
    reason: text.trim().slice(0, 8_000),
    status: status === 'success' ? 'pass' : 'fail',
    evidence: cited.match(/[\p{L}\p{N}_-]+/gu) ?? [],
    values: [],
    blocked: false,
  };
}

/** Pattern of the Odysseys scorer: the first match counts, and what it cannot read fails (reference: benchmarks.md §2.6 step 8). */
const strictPattern = /Status:\s*["']?(success|failure)/i;

/** {@link parseItemReply}, with what the Odysseys scorer itself would have read. */
export function parseProtocolReply(text: string): ItemReply | null {
  const parsed = parseItemReply(text);
  return parsed && { ...parsed, strict: strictPattern.exec(text)?.[1]?.toLowerCase() === 'success' ? 'pass' : 'fail' };
}

/** The id by which the recorded history is cited. */
export const historyId = 'history';

/**
 * The verdict on an item. A pass stands only when everything it cites exists, at least one cited piece was captured by the harness, and
 * every value of the answer that it rests on has such a piece: the agent's own images, its history and its answer cannot satisfy
 * an item alone (reference: reliability.md H18, §8 rules 2 and 4).
 */
export function itemVerdict({
  item,
  reply,
  evidence,
  mustCite = true,
  mustNameValues = false,
}: {
  item: RubricItem;
  reply: ItemReply;
  evidence: readonly Citable[];
  /** False: the prompt asks for no citation (a scorer's own prompt file). */
  mustCite?: boolean;
  /** True: the item is about an answer that states values, so a pass says which of them it rests on. */
  mustNameValues?: boolean;
}): ItemVerdict {
  const cited = [...new Set(reply.evidence)];
  const own = new Set(evidence.filter(({ source, url }) => source === 'harness' && !isSelfMade(url)).map(({ id }) => id));
  const known = new Set([...evidence.map(({ id }) => id), historyId]);
  const unknown = cited.filter(id => !known.has(id));
  const unseen = reply.values.filter(({ evidence: id }) => !own.has(id)).map(({ value }) => value);
  const doubts = [
    unknown.length > 0 && `the judge cites ${unknown.join(', ').slice(0, 100)}, which does not exist`,
    mustCite && reply.status === 'pass' && !cited.some(id => own.has(id)) && 'the judge cites nothing that the harness captured',
    mustNameValues &&
      reply.status === 'pass' &&
      reply.values.length === 0 &&
      'the judge names no value of the answer and no evidence for one',
    reply.status === 'pass' && unseen.length > 0 && `no evidence shows ${unseen.join(', ').slice(0, 200)}`,
    reply.status === 'pass' && reply.blocked && 'the judge says that a block prevented it',
  ].filter(doubt => typeof doubt === 'string');
  return {
    id: item.id,
    kind: 'rubric',
    requirement: item.requirement,
    status: doubts.length > 0 ? 'cannot-tell' : reply.status,
    reason: [...doubts, reply.reason].filter(Boolean).join(': ') || '(no reason given)',
    evidence: cited.filter(id => known.has(id)),
    ...(reply.confidence === undefined ? {} : { confidence: reply.confidence }),
    ...(reply.values.length === 0 ? {} : { values: reply.values }),
    ...(reply.strict === undefined ? {} : { strict: reply.strict }),
  };
}
