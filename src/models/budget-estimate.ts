import type { Message } from '../core/messages.ts';
import type { ModelRequest } from '../core/model.ts';

type Sent = Pick<ModelRequest, 'messages' | 'schema'>;

/** Tokens of one image at the most, over the providers and sizes we send (4,784 for Claude at full size, 3,779 for OpenAI's small models). */
export const worstImageTokens = 5_000;
/** Tokens of one screenshot as usual (1280×800 is about 1,365 for Claude, 1,105 for OpenAI). */
const usualImageTokens = 1_400;
/** Role, separators and the like, per message. */
const messageOverhead = 12;

/** Tokens a prompt is likely to have: four characters each (English, code and ARIA text measured 2.5–4.1), images as usual. */
export function likelyTokens({ messages, schema }: Sent): number {
  const schemaTokens = schema ? JSON.stringify(schema).length / 4 : 0;
  return Math.ceil(
    messages.reduce((sum, message) => sum + size({ message, textTokens: text => text.length / 4, image: usualImageTokens }), schemaTokens),
  );
}

/** Tokens a prompt cannot exceed: byte-level tokenizers never make more than one token of a byte. */
export function worstTokens({ messages, schema }: Sent): number {
  const schemaTokens = schema ? Buffer.byteLength(JSON.stringify(schema)) : 0;
  return messages.reduce((sum, message) => sum + worstOf(message), schemaTokens);
}

/**
 * A tighter bound for a conversation: what the last call of the same kind really had, plus the worst case of what is new.
 * Call `settled` with the input tokens the endpoint counted. Without it the bound of a long history would be four times too high.
 */
export function promptBound(): { bound(sent: Sent): number; settled(sent: Sent, inputTokens: number): void } {
  let last: { counts: Map<string, number>; inputTokens: number } | undefined;
  return {
    bound(sent) {
      const worst = worstTokens(sent);
      if (!last) return worst;
      const left = new Map(last.counts);
      const fresh = sent.messages.filter(message => {
        const id = identity(message);
        const count = left.get(id) ?? 0;
        left.set(id, count - 1);
        return count <= 0;
      });
      return Math.min(worst, last.inputTokens + worstTokens({ messages: fresh, ...(sent.schema && { schema: sent.schema }) }));
    },
    settled(sent, inputTokens) {
      // A provider that reports no usage gives no bound.
      if (inputTokens === 0) return;
      const counts = new Map<string, number>();
      for (const id of sent.messages.map(identity)) counts.set(id, (counts.get(id) ?? 0) + 1);
      last = { counts, inputTokens };
    },
  };
}

function worstOf(message: Message): number {
  return size({ message, textTokens: Buffer.byteLength, image: worstImageTokens });
}

function size({
  message: { content },
  textTokens,
  image,
}: {
  message: Message;
  textTokens: (text: string) => number;
  image: number;
}): number {
  if (typeof content === 'string') return messageOverhead + textTokens(content);
  return content.reduce((sum, part) => sum + (part.type === 'text' ? textTokens(part.text) : image), messageOverhead);
}

function identity({ role, content }: Message): string {
  return JSON.stringify([
    role,
    typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : [part.sha256])),
  ]);
}
