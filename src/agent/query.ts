import type { Environment } from '../core/environment.ts';
import type { Message } from '../core/messages.ts';
import type { Model, ModelReply } from '../core/model.ts';
import { type Turn, turnSchema } from '../core/turn.ts';
import { interruptMessage } from './interrupt.ts';
import { parseTurn } from './parse-turn.ts';

/** Repair calls inside one turn (webwright.md §1.7). */
const maxRepairs = 3;
/** How much of a malformed reply goes back to the model. */
const maxShownChars = 4_000;

/** What one turn's calls came to. `messages` are the last malformed reply and its error, for the history. */
export type QueryResult = { ok: true; turn: Turn; reply: ModelReply } | { ok: false; reply: ModelReply; messages: Message[] };

/** One reply that parses and whose code has no syntax error, with up to three repair calls that show the model its own bad reply and the exact error. */
export async function queryTurn({
  model,
  environment,
  messages,
  step,
  formatError,
  signal,
}: {
  model: Model;
  environment: Environment;
  messages: Message[];
  step: number;
  formatError: (options: { error: string }) => string;
  signal: AbortSignal;
}): Promise<QueryResult> {
  const { actionField } = environment;
  const repairs: Message[] = [];
  for (let repair = 0; ; repair += 1) {
    const key = repair === 0 ? `step-${step}` : `step-${step}/repair-${repair}`;
    const reply = await model.complete({
      role: 'agent',
      key,
      messages: [...messages, ...repairs],
      schema: turnSchema(actionField),
      signal,
    });
    const parsed = parseTurn({ text: reply.text, finishReason: reply.finishReason, actionField });
    const error = parsed.ok ? await syntaxError(parsed.turn, environment) : parsed.error;
    if (parsed.ok && error === null) return { ok: true, turn: parsed.turn, reply };
    const shown: Message = {
      role: 'assistant',
      content: reply.text.slice(0, maxShownChars) || '(empty reply)',
      extra: { malformed: true },
    };
    repairs.push(
      shown,
      interruptMessage('FormatError', formatError({ error: error ?? '' }), { model_response: reply.text.slice(0, 20_000) }),
    );
    if (repair === maxRepairs) return { ok: false, reply, messages: repairs.slice(-2) };
  }
}

async function syntaxError({ action, done }: Turn, environment: Environment): Promise<string | null> {
  return action.trim() === '' || done ? null : environment.syntaxError(action);
}
