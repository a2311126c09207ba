import type { Model, ReplySchema } from '../core/model.ts';
import { ask } from './ask.ts';
import { cleanText } from './clean-text.ts';
import { digestOf } from './digest.ts';
import { parseWholeJson, withoutCodeFence } from './parse-json.ts';
import { criticalPointsPrompt } from './prompts.ts';

export interface CriticalPoint {
  /** `CP1`, `CP2` … */
  id: string;
  text: string;
}

export interface CriticalPoints {
  readonly points: readonly Readonly<CriticalPoint>[];
  /** Digest of the points: what the agent was shown is what the coach judges. */
  readonly sha256: string;
  /** True when no usable reply could be had: then the only point is the instruction itself. */
  readonly fallback: boolean;
}

/** More than this is a list of steps, not of requirements. */
export const maxPoints = 12;
/** Longest text of one point in characters. */
const maxPointLength = 600;

const schema: ReplySchema = {
  name: 'critical_points',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['points'],
    properties: { points: { type: 'array', items: { type: 'string', description: 'One requirement of the instruction.' } } },
  },
};

/**
 * The requirements in an instruction, drawn by one text call before the first action (DESIGN §6) and frozen. The rubric is never
 * part of the request. After three unusable replies the instruction itself is the one point. `cache` (by model and instruction)
 * makes repeats of a task share their points. Throws {@link ModelCallError} when the model cannot be asked.
 *
 * @example
 * const { points } = await drawCriticalPoints({ model, instruction: task.instruction, signal });
 */
export async function drawCriticalPoints({
  model,
  instruction,
  signal,
  cache,
}: {
  model: Model;
  instruction: string;
  signal: AbortSignal;
  cache?: Map<string, CriticalPoints>;
}): Promise<CriticalPoints> {
  const cacheKey = digestOf(model.provider, model.name, criticalPointsPrompt, instruction);
  const cached = cache?.get(cacheKey);
  if (cached) return cached;
  const { value } = await ask({
    model,
    role: 'critical-points',
    key: 'points',
    system: criticalPointsPrompt,
    user: [{ type: 'text', text: `The instruction, between the two lines of dashes:\n-----\n${instruction}\n-----` }],
    schema,
    maxOutputTokens: 2_048,
    signal,
    parse: parsePoints,
  });
  const points = freezePoints({ texts: value ?? [instruction], fallback: value === null });
  if (value !== null) cache?.set(cacheKey, points);
  return points;
}

/** Numbers, freezes and hashes texts as critical points. */
export function freezePoints({ texts, fallback = false }: { texts: readonly string[]; fallback?: boolean }): CriticalPoints {
  const points = Object.freeze(texts.map((text, index) => Object.freeze({ id: `CP${index + 1}`, text })));
  return Object.freeze({ points, sha256: digestOf(points), fallback });
}

/**
 * Points from a reply: `{"points": […]}`, or a numbered or bulleted list. Null when there is no point, or more than twelve:
 * cutting a list would drop a requirement silently.
 */
export function parsePoints(reply: string): string[] | null {
  const json = parseWholeJson(reply);
  const raw = json ? fromJson(json['points']) : fromList(withoutCodeFence(reply));
  const texts = raw.map(text => cleanText(text).text.replace(/\s+/g, ' ').trim()).filter(text => text !== '');
  const unique = [...new Set(texts)];
  if (unique.length === 0 || unique.length > maxPoints || unique.some(text => text.length > maxPointLength)) return null;
  return unique;
}

function fromJson(points: unknown): string[] {
  if (!Array.isArray(points)) return [];
  return points.map(point => (typeof point === 'string' ? point : String((point as { text?: unknown } | null)?.text ?? '')));
}

function fromList(reply: string): string[] {
  return reply
    .split('\n')
    .flatMap(line => /^\s*(?:[-*•]\s+(?:\[.\]\s*)?)?(?:\**(?:CP\s*)?\d+\s*[.):]\**:?|[-*•])\s+(.+)$/iu.exec(line)?.[1] ?? []);
}
