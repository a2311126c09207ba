import { addUsage, noUsage, totalTokens } from '../core/usage.ts';
import type { JudgedBy, JudgeRecord } from '../core/verdict.ts';
import type { Answer } from './ask.ts';
import { promptsDigest } from './prompts.ts';

/** A record of judging in which nothing has been spent yet. */
export function newRecord(): JudgeRecord {
  return { promptDigest: promptsDigest, usage: noUsage, costUsd: 0, calls: 0, removedCharacters: 0 };
}

/** Adds what an answer cost to a record, in place: the calls of one judgement run side by side. */
export function spend({ record, answer }: { record: JudgeRecord; answer: Pick<Answer<unknown>, 'usage' | 'costUsd' | 'tries'> }): void {
  record.usage = addUsage(record.usage, answer.usage);
  record.costUsd = record.costUsd === null || answer.costUsd === null ? null : record.costUsd + answer.costUsd;
  record.calls += answer.tries;
}

/** What an answer says about who gave it. */
export function judgedBy({ model, usage, tries }: Pick<Answer<unknown>, 'model' | 'usage' | 'tries'>): JudgedBy {
  return { model, promptDigest: promptsDigest, tokens: totalTokens(usage), calls: tries };
}
