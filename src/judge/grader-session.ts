import { ModelCallError } from '../core/errors.ts';
import type { Part } from '../core/messages.ts';
import type { Model, ReplySchema } from '../core/model.ts';
import type { RubricItem } from '../core/task.ts';
import type { ItemVerdict, JudgeRecord } from '../core/verdict.ts';
import { ask } from './ask.ts';
import { type ItemReply, itemVerdict, parseItemReply } from './item-verdict.ts';
import { judgedBy, spend } from './judge-record.ts';
import type { Citable } from './saved-files.ts';

/** How one requirement is put to the judge. */
export interface ItemQuestion {
  item: RubricItem;
  key: string;
  system: string;
  user: Part[];
  /** What differs from item to item, after everything the items share. */
  own?: Part[];
  /** Left out: plain text is wanted. */
  schema?: ReplySchema;
  parse?: (text: string) => ItemReply | null;
  /** False: a pass needs no citation. Default true. */
  mustCite?: boolean;
  /** True: a pass names the values of the answer that it rests on. Default false. */
  mustNameValues?: boolean;
}

/**
 * The judge of one attempt. It never throws: the first call that cannot be made ends the asking, since what is wrong with the endpoint,
 * the budget or the run would be wrong for the other items too; those come back `unasked`.
 */
export interface GraderSession {
  readonly model: Model;
  readonly signal: AbortSignal;
  readonly record: JudgeRecord;
  /** The model id that answered last. */
  readonly judge: string;
  /** Why no further question is asked, or null. */
  readonly obstacle: string | null;
  decide(question: ItemQuestion): Promise<ItemVerdict>;
  /** Other work with the model; null when it failed. */
  attempt<T>(work: () => Promise<T>): Promise<T | null>;
}

export function openSession({
  model,
  evidence,
  record,
  signal,
}: {
  model: Model;
  /** What a verdict may cite. */
  evidence: readonly Citable[];
  record: JudgeRecord;
  signal: AbortSignal;
}): GraderSession {
  let judge = model.name;
  let obstacle: string | null = null;
  const attempt = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (obstacle !== null) return null;
    try {
      return await work();
    } catch (error) {
      obstacle ??= reasonOf({ error, signal });
      return null;
    }
  };
  return {
    model,
    signal,
    record,
    get judge() {
      return judge;
    },
    get obstacle() {
      return obstacle;
    },
    attempt,
    async decide({ item, parse = parseItemReply, mustCite = true, mustNameValues = false, ...question }) {
      const answer = await attempt(() =>
        ask({
          ...question,
          model,
          role: 'grader',
          // The scorer's figure (reference: benchmarks.md §2.6 step 7); like it, no temperature is set.
          maxOutputTokens: 8_192,
          signal,
          parse,
        }),
      );
      if (!answer) return withoutVerdict({ item, status: 'unasked', reason: obstacle ?? 'the judge was not asked' });
      spend({ record, answer });
      judge = answer.model;
      const verdict = answer.value
        ? itemVerdict({ item, reply: answer.value, evidence, mustCite, mustNameValues })
        : withoutVerdict({ item, status: 'cannot-tell', reason: answer.problem });
      return { ...verdict, votes: [verdict.status], judgedBy: judgedBy(answer) };
    },
  };
}

/** An item about which the judge said nothing usable. */
export function withoutVerdict({
  item,
  status,
  reason,
}: {
  item: RubricItem;
  status: 'unasked' | 'cannot-tell';
  reason: string;
}): ItemVerdict {
  return { id: item.id, kind: 'rubric', requirement: item.requirement, status, reason, evidence: [] };
}

function reasonOf({ error, signal }: { error: unknown; signal: AbortSignal }): string {
  if (signal.aborted) return 'grading was interrupted';
  if (error instanceof ModelCallError) return `the judge could not be asked (${error.failure}): ${error.what}`;
  return `the judge could not be asked: ${error instanceof Error ? error.message : String(error)}`;
}
