import { ModelCallError } from '../core/errors.ts';
import { textOf } from '../core/messages.ts';
import type { Model, ModelReply, ModelRequest, ModelRole } from '../core/model.ts';
import { noUsage } from '../core/usage.ts';

/** A whole reply where its text alone is not enough: usage, finish reason, model id … */
export type ScriptedReply = { text: string } & Partial<Omit<ModelReply, 'text'>>;

/**
 * What a script answers with. A string is sent as it is; an object is sent as JSON; an object with a `text` is a
 * whole reply; an Error is thrown. An agent turn may leave out fields: `thought`, the action and `final_response` are
 * then empty and `done` is false. No other role gets anything filled in.
 */
export type ScriptedAnswer = string | ScriptedReply | Record<string, unknown> | Error;

/** One item of a script: an answer, or a function of the request. `index` counts the calls of that role from 0. */
export type ScriptItem = ScriptedAnswer | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** Answers of one role: a list used up from the front, or one function for every call. */
export type RoleScript = readonly ScriptItem[] | ((request: ModelRequest, index: number) => ScriptedAnswer | Promise<ScriptedAnswer>);

/** What {@link scripted} plays: the agent's turns, or a script for each role. */
export type Script = RoleScript | Partial<Record<ModelRole, RoleScript>>;

/** A model without a model, which remembers what it was sent. */
export interface ScriptedModel extends Model {
  /** Every request so far, refused ones included, as it was when it was sent. */
  readonly requests: readonly ModelRequest[];
}

/**
 * A model that plays a script: same input, same replies, no network, no cost. A list alone is the agent's; other roles are
 * scripted by name. A role without a script and a list that has run out are errors that say so: a judge nobody scripted
 * must never pass anything. Throws {@link ModelCallError} (`recording`), or `aborted` when the request's signal is.
 *
 * @example
 * const model = scripted({
 *   agent: [{ thought: 'Open it.', playwright_code: "await page.goto('/')" }, { done: true, final_response: '£24.90' }],
 *   grader: request => ({ status: 'pass', reason: request.key, evidence: ['e1'] }),
 * });
 */
export function scripted(script: Script): ScriptedModel {
  const byRole: Partial<Record<ModelRole, RoleScript>> = isRoleScript(script) ? { agent: script } : script;
  const calls = new Map<ModelRole, number>();
  const requests: ModelRequest[] = [];
  return {
    name: 'scripted',
    provider: 'scripted',
    requests,
    async complete(request) {
      requests.push({ ...request, messages: [...request.messages] });
      if (request.signal.aborted) throw abortedError(request);
      const index = calls.get(request.role) ?? 0;
      calls.set(request.role, index + 1);
      const item = itemFor({ script: byRole[request.role], request, index });
      const answer = typeof item === 'function' ? await item(request, index) : item;
      if (request.signal.aborted) throw abortedError(request);
      if (answer instanceof Error) throw answer;
      return replyFrom({ answer, request });
    },
  };
}

/** The error of a call whose signal is aborted. */
export function abortedError({ role, key }: Pick<ModelRequest, 'role' | 'key'>): ModelCallError {
  return new ModelCallError({ failure: 'aborted', what: `The ${role} call ${key} was aborted` });
}

function isRoleScript(script: Script): script is RoleScript {
  return Array.isArray(script) || typeof script === 'function';
}

function itemFor({ script, request, index }: { script: RoleScript | undefined; request: ModelRequest; index: number }): ScriptItem {
  if (typeof script === 'function') return script;
  const item = script?.[index];
  if (item !== undefined) return item;
  const { role, key } = request;
  throw new ModelCallError({
    failure: 'recording',
    what: script
      ? `The script for role "${role}" has ${script.length} answers and was asked for number ${index + 1} (call ${key})`
      : `Nothing is scripted for role "${role}" (call ${key})`,
    seen: excerpt(textOf(request.messages.at(-1) ?? { content: '(no messages)' })),
    remedy: script ? `add an answer to ${role}: […], or give a function` : `scripted({ …, ${JSON.stringify(role)}: [answer, …] })`,
  });
}

/** The end of a text: in prompts the news comes last. */
function excerpt(text: string): string {
  return text.length <= 600 ? text : `… ${text.slice(-600).toWellFormed()}`;
}

function replyFrom({ answer, request }: { answer: Exclude<ScriptedAnswer, Error>; request: ModelRequest }): ModelReply {
  const given: ScriptedReply =
    typeof answer === 'string'
      ? { text: answer }
      : isReply(answer)
        ? answer
        : { text: JSON.stringify(request.role === 'agent' ? completedTurn({ turn: answer, request }) : answer) };
  return {
    usage: noUsage,
    finishReason: 'stop',
    model: 'scripted',
    costUsd: 0,
    durationMs: 0,
    attempts: 0,
    source: 'scripted',
    ...given,
  };
}

function isReply(answer: ScriptedReply | Record<string, unknown>): answer is ScriptedReply {
  return typeof answer['text'] === 'string';
}

/** The turn with the missing fields of the requested schema: texts empty, `done` false. */
function completedTurn({ turn, request }: { turn: Record<string, unknown>; request: ModelRequest }): Record<string, unknown> {
  const properties = (request.schema?.schema['properties'] ?? {}) as Record<string, { type?: unknown }>;
  const empty = Object.entries(properties).flatMap(([name, { type }]) =>
    type === 'string' ? [[name, '']] : type === 'boolean' ? [[name, false]] : [],
  );
  return { ...Object.fromEntries(empty), ...turn };
}
