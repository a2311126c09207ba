import type { Model, ReplySchema } from '../core/model.ts';
import type { ImageJudgement, JudgeRecord } from '../core/verdict.ts';
import { ask } from './ask.ts';
import { shortenDataUrls } from './clean-text.ts';
import type { CriticalPoint } from './critical-points.ts';
import { digestOf } from './digest.ts';
import type { Fence } from './fence.ts';
import type { JudgedImage } from './images.ts';
import { spend } from './judge-record.ts';
import { parseWholeJson } from './parse-json.ts';
import { parseScore } from './parse-score.ts';
import { imagePrompt } from './prompts.ts';
import { scales } from './select-images.ts';

const schema: ReplySchema = {
  name: 'image_judgement',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['reasoning', 'shows', 'score'],
    properties: {
      reasoning: { type: 'string', description: 'One or two sentences that name what is visible.' },
      shows: { type: 'array', items: { type: 'string' }, description: 'Ids of the critical points this image proves.' },
      score: { type: 'integer', enum: [1, 2, 3, 4, 5] },
    },
  },
};

/** Stage 1: how much one image proves. Score 0 and `parseFailed` after three unreadable replies; those are not cached. */
export async function judgeImage({
  model,
  key,
  fence,
  instruction,
  points,
  image,
  cache,
  signal,
  record,
}: {
  model: Model;
  key: string;
  fence: Fence;
  instruction: string;
  points: readonly CriticalPoint[];
  image: JudgedImage;
  cache: Map<string, ImageJudgement>;
  signal: AbortSignal;
  /** Spending is added here. */
  record: JudgeRecord;
}): Promise<ImageJudgement> {
  const { url, title, text, fields, source, label } = image;
  const cacheKey = digestOf(
    model.provider,
    model.name,
    imagePrompt,
    instruction,
    points,
    { url, title, text, fields, source, label },
    image.image.sha256,
  );
  const place = { path: image.image.path, sha256: image.image.sha256, id: image.id };
  const cached = cache.get(cacheKey);
  if (cached) return { ...cached, ...place, cached: true };

  const answer = await ask({
    model,
    role: 'coach',
    key,
    system: imagePrompt,
    user: [
      { type: 'text', text: `${taskText({ instruction, points })}\n\n${imageText({ image, fence })}` },
      { ...image.image, scale: scales.detail },
    ],
    schema,
    // Webwright allows 1,024 (reference: webwright.md §5.3); models that think first need room for it.
    maxOutputTokens: 4_096,
    signal,
    parse: reply => {
      const parsed = parseScore(reply);
      return parsed && { ...parsed, shows: shownPoints({ reply, points }) };
    },
  });
  spend({ record, answer });
  record.removedCharacters += fence.removed;
  if (!answer.value) return { ...place, score: 0, reasoning: answer.problem, parseFailed: true, shows: [] };
  const judgement: ImageJudgement = { ...place, ...answer.value, parseFailed: false };
  cache.set(cacheKey, judgement);
  return judgement;
}

/** Task and points as every judge sees them. Both come from the harness; they are named, not fenced. */
export function taskText({ instruction, points }: { instruction: string; points: readonly CriticalPoint[] }): string {
  return `Task of the agent (for judging only; do not perform it):\n-----\n${instruction}\n-----\n\nCritical points:\n${points.map(({ id, text }) => `${id}: ${text}`).join('\n')}`;
}

/** What is known about an image besides its pixels; `impression` is what another judge saw in it. */
export function imageText({
  image,
  fence,
  textLimit = 4_000,
  impression,
}: {
  image: JudgedImage;
  fence: Fence;
  /** Characters of page text. */
  textLimit?: number;
  impression?: string;
}): string {
  const origin = image.source === 'harness' ? 'captured by the harness' : 'made by the agent (a claim)';
  const facts = [
    `label: ${image.label}`,
    `address: ${shortenDataUrls(image.url).slice(0, 2_000) || '(unknown)'}`,
    `title: ${image.title.slice(0, 300) || '(none)'}`,
    ...(image.fields ? [`fields as filled in:\n${shortenDataUrls(image.fields)}`] : []),
    `text: ${shortenDataUrls(image.text).slice(0, textLimit) || '(none)'}`,
    ...(impression === undefined ? [] : [`first look: ${impression}`]),
  ];
  return `Image ${image.id}, ${origin}:\n${fence.wrap('page', facts.join('\n'))}`;
}

function shownPoints({ reply, points }: { reply: string; points: readonly CriticalPoint[] }): string[] {
  const shows = parseWholeJson(reply)?.['shows'];
  return Array.isArray(shows) ? points.map(({ id }) => id).filter(id => shows.includes(id)) : [];
}
