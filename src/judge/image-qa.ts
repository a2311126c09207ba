import { z } from 'zod';
import type { Model, ReplySchema } from '../core/model.ts';
import { ask } from './ask.ts';
import { cleanText } from './clean-text.ts';
import { type JudgedImage, validateImages } from './images.ts';
import { parseWholeJson } from './parse-json.ts';
import { imageQaPrompt } from './prompts.ts';

/** Most images of one question. */
export const maxQuestionImages = 10;

const reply = z.object({
  answer: z.string(),
  evidence: z.array(z.string()).default([]),
  unknown: z.boolean(),
  confidence: z.number().min(0).max(1),
});

export type ImageAnswer = z.infer<typeof reply>;

const schema: ReplySchema = {
  name: 'image_answer',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['answer', 'evidence', 'unknown', 'confidence'],
    properties: {
      answer: { type: 'string' },
      evidence: { type: 'array', items: { type: 'string' } },
      unknown: { type: 'boolean' },
      confidence: { type: 'number' },
    },
  },
};

/**
 * An answer to a question about images, from what is visible only (reference: webwright.md §5.2). Unreadable replies give `unknown: true`
 * after three tries. Images are checked before the call ({@link validateImages}); a model that cannot be asked throws its `ModelCallError`.
 *
 * @example
 * const { answer, unknown } = await imageQa({ model, images, question: 'Is the filter "Blue" on?', key: 'question-1', signal });
 */
export async function imageQa({
  model,
  images,
  question,
  key,
  signal,
}: {
  model: Model;
  images: readonly Pick<JudgedImage, 'id' | 'image'>[];
  question: string;
  /** Key of the call, e.g. `question-3`. */
  key: string;
  signal: AbortSignal;
}): Promise<ImageAnswer> {
  const shown = images.slice(0, maxQuestionImages);
  if (shown.length === 0) return { answer: 'no image was given', evidence: [], unknown: true, confidence: 0 };
  await validateImages(shown);
  const names = `Images, in order: ${shown.map(({ id }) => id).join(', ')}.${images.length > shown.length ? ` ${images.length - shown.length} more were left out.` : ''}`;
  const answer = await ask({
    model,
    role: 'image-qa',
    key,
    system: imageQaPrompt,
    user: [
      { type: 'text', text: `${names}\nQuestion:\n-----\n${cleanText(question).text.slice(0, 4_000)}\n-----` },
      ...shown.map(({ image }) => image),
    ],
    schema,
    maxOutputTokens: 4_096,
    signal,
    parse: text => reply.safeParse(parseWholeJson(text)).data ?? null,
  });
  return answer.value ?? { answer: `no readable answer: ${answer.problem}`, evidence: [], unknown: true, confidence: 0 };
}
