import { ModelCallError } from '../core/errors.ts';
import type { Message, Part } from '../core/messages.ts';
import type { Model, ModelReply, ModelRole, ReplySchema } from '../core/model.ts';
import { addUsage, noUsage, type Usage } from '../core/usage.ts';

/** Calls for one answer: Webwright's three attempts to get a reply that parses (reference: webwright.md §5.3). */
export const maxTries = 3;

export interface Question {
  model: Model;
  role: ModelRole;
  /** Key of the first try; the second is `<key>/try-2`, so that a recording holds each reply once. */
  key: string;
  system: string;
  user: Part[];
  /** What differs between calls that share all the rest: a message of its own, behind the last point that prompt caches may keep. */
  own?: Part[];
  /** Left out: plain text is wanted. */
  schema?: ReplySchema;
  maxOutputTokens: number;
  signal: AbortSignal;
}

export interface Answer<T> {
  /** Null: no try gave a reply that parses. */
  value: T | null;
  /** Why the last reply was not usable; empty when it was. */
  problem: string;
  tries: number;
  usage: Usage;
  costUsd: number | null;
  /** The model id the endpoint reported last. */
  model: string;
}

/**
 * Asks until a reply parses, at most `tries` times. Replies that were refused, cut off or malformed are tried again and never
 * throw; a model that cannot be asked throws its {@link ModelCallError}, so that nobody mistakes it for an answer.
 */
export async function ask<T>({
  tries = maxTries,
  parse,
  ...question
}: Question & { tries?: number; parse: (text: string) => T | null }): Promise<Answer<T>> {
  const answer: Answer<T> = { value: null, problem: '', tries: 0, usage: noUsage, costUsd: 0, model: question.model.name };
  while (answer.tries < tries && answer.value === null) {
    question.signal.throwIfAborted();
    answer.tries += 1;
    const key = answer.tries === 1 ? question.key : `${question.key}/try-${answer.tries}`;
    const reply = await replyOf({ ...question, key });
    if (typeof reply === 'string') {
      answer.problem = reply;
      continue;
    }
    answer.usage = addUsage(answer.usage, reply.usage);
    answer.costUsd = answer.costUsd === null || reply.costUsd === null ? null : answer.costUsd + reply.costUsd;
    answer.model = reply.model;
    answer.value = reply.finishReason === 'stop' ? parse(reply.text) : null;
    if (answer.value !== null) answer.problem = '';
    else
      answer.problem =
        reply.finishReason === 'stop' ? `unreadable reply: ${excerpt(reply.text)}` : `the judge's reply ended with ${reply.finishReason}`;
  }
  return answer;
}

/** A reply, or in words why the endpoint's answer was not one. */
async function replyOf({ model, role, key, system, user, own, schema, maxOutputTokens, signal }: Question): Promise<ModelReply | string> {
  const messages: Message[] = [
    { role: 'system', content: system, extra: {} },
    { role: 'user', content: user, extra: {} },
    ...(own ? [{ role: 'user' as const, content: own, extra: { volatile: true } }] : []),
  ];
  try {
    return await model.complete({ role, key, messages, maxOutputTokens, signal, ...(schema ? { schema } : {}) });
  } catch (error) {
    if (error instanceof ModelCallError && error.failure === 'bad-reply') return `bad reply: ${error.what}`;
    throw error;
  }
}

function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line === '' ? '(empty)' : line.slice(0, 200);
}
