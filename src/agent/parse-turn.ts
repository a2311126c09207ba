import { z } from 'zod';
import type { ActionField } from '../core/environment.ts';
import type { FinishReason } from '../core/model.ts';
import type { Turn } from '../core/turn.ts';
import { findJsonObjects } from './json-objects.ts';

export type ParsedTurn = { ok: true; turn: Turn } | { ok: false; error: string };

/**
 * One reply of the model as a turn. Exactly one distinct valid object is accepted; fences, prose and a BOM around it are fine;
 * two different ones are refused as ambiguous (that also catches page text quoted by the model). A reply that was cut off is
 * never executed (reliability matrix G11–G13).
 */
export function parseTurn({
  text,
  finishReason,
  actionField,
}: {
  text: string;
  finishReason: FinishReason;
  actionField: ActionField;
}): ParsedTurn {
  const refuse = (error: string): ParsedTurn => ({ ok: false, error });
  if (finishReason === 'length')
    return refuse('The reply was cut off at the output limit and was not executed. Answer shorter: less thought, smaller code.');
  if (finishReason === 'refusal' || finishReason === 'content_filter')
    return refuse(`The reply ended with "${finishReason}" and was not executed.`);
  if (text.trim() === '') return refuse('The reply was empty.');
  // Tool calls, paused turns, a stream that was cut: nobody knows whether the text is whole.
  if (finishReason === 'unknown')
    return refuse('The reply did not end normally and was not executed. Answer with plain text: one JSON object, no tool calls.');

  const { objects, unterminated } = findJsonObjects(text.replace(/^\uFEFF/, ''));
  const turns = new Map<string, Turn>();
  const errors: string[] = [];
  for (const { value, error } of objects) {
    const parsed = value === undefined ? undefined : readTurn(value, actionField);
    if (parsed?.ok) turns.set(JSON.stringify(parsed.turn), parsed.turn);
    else errors.push(parsed?.error ?? error ?? 'not JSON');
  }
  const [turn, second] = turns.values();
  if (second)
    return refuse(`The reply holds ${turns.size} different JSON objects. Send one: one action a turn, and let its code do several things.`);
  if (unterminated) return refuse('The JSON object is not complete: a closing brace or quote is missing.');
  if (turn) return { ok: true, turn };
  return refuse(
    errors[0] ?? `There is no JSON object in the reply. Send one object with the fields thought, ${actionField}, done, final_response.`,
  );
}

function readTurn(value: Record<string, unknown>, actionField: ActionField): ParsedTurn {
  const schema = z.strictObject({ thought: z.string(), [actionField]: z.string(), done: z.boolean(), final_response: z.string() });
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    return {
      ok: false,
      error: `${issue?.path.join('.') || 'the object'}: ${issue?.message}. The fields are thought (string), ${actionField} (string), done (boolean), final_response (string).`,
    };
  }
  const { thought, done, final_response } = parsed.data as { thought: string; done: boolean; final_response: string };
  return { ok: true, turn: { thought, action: String(parsed.data[actionField]), done, final_response } };
}
