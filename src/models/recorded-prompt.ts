import { createHash } from 'node:crypto';
import type { ModelRequest } from '../core/model.ts';
import type { Redact } from '../core/redact.ts';

/**
 * One piece of a prompt as recordings know it: a text or an image (by digest) of a message. `joined` pieces belong to
 * the message of the piece before. Pieces and not messages, because an old screenshot leaves a message whose text stays.
 */
export interface PromptPiece {
  role: 'system' | 'user' | 'assistant';
  joined: boolean;
  text?: string;
  image?: string;
}

/** What a recording keeps of a request. */
export interface RecordedPrompt {
  pieces: PromptPiece[];
  /** Name and digest of the reply schema; absent for plain text. */
  schema?: string;
  /** Over roles, texts, places of images and schema, not over the images' bytes: fonts differ between machines. */
  digest: string;
}

/** Values that differ between runs (workspace path, run id, port), by the name that stands for them. */
export type Volatile = Readonly<Record<string, string>>;

/** The first 16 hex digits of a SHA-256: enough to notice a change, short enough to review. */
export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** A request without secrets and volatile values. The same function serves recording and replay, so a recording always matches itself. */
export function recordedPrompt({
  request,
  redact,
  volatile,
}: {
  request: Pick<ModelRequest, 'messages' | 'schema'>;
  redact: Redact;
  volatile: Volatile;
}): RecordedPrompt {
  const clean = (text: string) => withPlaceholders({ text: redact(text.toWellFormed()), volatile });
  const pieces = request.messages.flatMap(({ role, content }): PromptPiece[] => {
    if (role === 'exit') return [];
    const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content;
    return parts.map((part, index) => ({
      role,
      joined: index > 0,
      ...(part.type === 'text' ? { text: clean(part.text) } : { image: part.sha256.slice(0, 16) }),
    }));
  });
  const { schema } = request;
  const schemaLabel = schema && `${schema.name} ${shortDigest(JSON.stringify(schema.schema))}`;
  return { pieces, ...(schemaLabel && { schema: schemaLabel }), digest: promptDigest({ pieces, schema: schemaLabel }) };
}

/** The digest of {@link RecordedPrompt}. */
export function promptDigest({ pieces, schema }: { pieces: readonly PromptPiece[]; schema: string | undefined }): string {
  return shortDigest(JSON.stringify([pieces.map(({ role, joined, text }) => [role, joined, text ?? { image: true }]), schema ?? null]));
}

/** Volatile values become `⟦name⟧`, the longest value first. */
export function withPlaceholders({ text, volatile }: { text: string; volatile: Volatile }): string {
  const byLength = Object.entries(volatile).sort(([, a], [, b]) => b.length - a.length);
  return byLength.reduce((result, [name, value]) => (value === '' ? result : result.replaceAll(value, `⟦${name}⟧`)), text);
}

/** `⟦name⟧` becomes this run's value. */
export function withoutPlaceholders({ text, volatile }: { text: string; volatile: Volatile }): string {
  return Object.entries(volatile).reduce((result, [name, value]) => result.replaceAll(`⟦${name}⟧`, () => value), text);
}

/**
 * Where two prompts part, as two short blocks of lines, or null when the recording would not notice a difference.
 *
 * @example
 * firstDifference({ recorded, now }); // 'user message 3, line 2:\n  - Page: Shop\n  + Page: Cart'
 */
export function firstDifference({ recorded, now }: { recorded: RecordedPrompt; now: RecordedPrompt }): string | null {
  if (recorded.digest === now.digest) return null;
  const before = linesOf(recorded);
  const after = linesOf(now);
  const index = before.findIndex((line, at) => after[at]?.text !== line.text);
  const at = index >= 0 ? index : before.length;
  const place = (after[at] ?? before[at])?.place;
  if (place === undefined) return `the reply schema changed: ${recorded.schema ?? 'none'} → ${now.schema ?? 'none'}`;
  const block = (lines: Line[], mark: string) => lines.slice(at, at + 3).map(({ text }) => `\n  ${mark} ${text.slice(0, 160)}`);
  return [place, ':', ...block(before, '-'), ...block(after, '+')].join('');
}

interface Line {
  place: string;
  text: string;
}

function linesOf({ pieces }: RecordedPrompt): Line[] {
  let message = 0;
  return pieces.flatMap(({ role, joined, text }) => {
    if (!joined) message += 1;
    const lines = text === undefined ? ['(image)'] : text.split('\n');
    return lines.map((line, index) => ({ place: `${role} message ${message}, line ${index + 1}`, text: line }));
  });
}
