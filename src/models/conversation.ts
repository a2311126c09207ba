import type { ImagePart, Message } from '../core/messages.ts';
import type { Redact } from '../core/redact.ts';
import type { EncodedImage } from './images.ts';

/** What a turn consists of when it is sent. `volatile` parts change with every request, so no cache breakpoint stands on them. */
export type SentPart = { volatile: boolean } & ({ type: 'text'; text: string } | { type: 'image'; image: EncodedImage });

/** One turn as it is sent. */
export interface Turn {
  role: 'system' | 'user' | 'assistant';
  parts: SentPart[];
}

/**
 * The conversation as it is sent: exit messages and empty turns left out (an empty turn is a 400 at Anthropic), secrets and
 * lone surrogates replaced, images encoded. A message whose `extra.volatile` is true is marked so. `encode` gives null for an
 * image that cannot be read; words stand in its place, so that nobody takes it for seen.
 */
export async function turnsOf({
  messages,
  redact,
  encode,
}: {
  messages: readonly Message[];
  redact: Redact;
  encode: (image: ImagePart) => Promise<EncodedImage | null>;
}): Promise<Turn[]> {
  const turns: Turn[] = [];
  for (const { role, content, extra } of messages) {
    if (role === 'exit') continue;
    const volatile = extra['volatile'] === true;
    const parts: SentPart[] = [];
    for (const part of typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content) {
      if (part.type === 'text') {
        const text = redact(part.text.toWellFormed());
        if (text.trim() !== '') parts.push({ type: 'text', text, volatile });
      } else if (role !== 'assistant') {
        const image = await encode(part);
        parts.push(image ? { type: 'image', image, volatile } : { type: 'text', text: '[an image that could not be read]', volatile });
      }
    }
    if (parts.length > 0) turns.push({ role, parts });
  }
  return turns;
}

/** Adjacent turns of one role become one turn: Anthropic and most local chat templates want roles to alternate. */
export function merged(turns: readonly Turn[]): Turn[] {
  const result: Turn[] = [];
  for (const turn of turns) {
    const last = result.at(-1);
    if (last?.role === turn.role) last.parts.push(...turn.parts);
    else result.push({ role: turn.role, parts: [...turn.parts] });
  }
  return result;
}

/** The text of a turn, parts separated by a blank line. */
export function textOfTurn({ parts }: Turn): string {
  return parts.flatMap(part => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** True for a turn without images. */
export function isTextOnly({ parts }: Turn): boolean {
  return parts.every(part => part.type === 'text');
}

/**
 * Where cache breakpoints stand besides the one on the system text: the last part that is not volatile of the last two
 * user turns. The newer one writes the cache that the next request's older one reads.
 */
export function breakpoints(turns: readonly Turn[]): Set<SentPart> {
  const stable = turns.flatMap(turn => (turn.role === 'user' ? (turn.parts.findLast(part => !part.volatile) ?? []) : []));
  return new Set(stable.slice(-2));
}
