import { z } from 'zod';
import type { EvidenceItem } from '../core/evidence.ts';
import type { Part } from '../core/messages.ts';
import type { Model, ReplySchema } from '../core/model.ts';
import type { RubricItem } from '../core/task.ts';
import type { JudgeRecord } from '../core/verdict.ts';
import { type AnswerValue, wordsIn } from './answer-values.ts';
import { ask } from './ask.ts';
import type { Fence } from './fence.ts';
import { imageText } from './judge-image.ts';
import { spend } from './judge-record.ts';
import { mapLimited } from './map-limited.ts';
import { parseWholeJson } from './parse-json.ts';
import { relevancePrompt } from './prompts.ts';

/** Images per relevance call, and images kept per item besides the final state (reference: benchmarks.md §15 step 3). */
const batchSize = 4;
const keptPerItem = 5;

/** Up to this many images each item call gets all of them: a relevance pass would cost more than it saves. */
export const allImages = 8;

/** Relevance 0–10 by image id, then by item id; what a judge left out is 0. */
export type Relevance = Map<string, Map<string, number>>;

const schema: ReplySchema = {
  name: 'relevance',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['images'],
    properties: {
      images: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['id', 'scores'],
          properties: {
            id: { type: 'string' },
            scores: {
              type: 'array',
              items: {
                type: 'object',
                additionalProperties: false,
                required: ['item', 'score'],
                properties: { item: { type: 'string' }, score: { type: 'integer' } },
              },
            },
          },
        },
      },
    },
  },
};

const reply = z.object({
  images: z.array(z.object({ id: z.string(), scores: z.array(z.object({ item: z.string(), score: z.number() })) })),
});

/** Rates images against all items, four at a time (`relevance-1` …). A batch that stays unreadable counts as 0. */
export async function rateRelevance({
  model,
  instruction,
  images,
  rubric,
  fence,
  concurrency,
  record,
  signal,
}: {
  model: Model;
  instruction: string;
  images: readonly EvidenceItem[];
  rubric: readonly RubricItem[];
  fence: Fence;
  concurrency: number;
  record: JudgeRecord;
  signal: AbortSignal;
}): Promise<Relevance> {
  const batches = Array.from({ length: Math.ceil(images.length / batchSize) }, (_, index) =>
    images.slice(index * batchSize, (index + 1) * batchSize),
  );
  const requirements = rubric.map(({ id, requirement }) => `${id}: ${requirement}`).join('\n');
  const rated = await mapLimited({
    items: batches,
    limit: concurrency,
    signal,
    work: async (batch, { index, signal }) => {
      const answer = await ask({
        model,
        role: 'grader',
        key: `relevance-${index + 1}`,
        system: relevancePrompt,
        user: [
          { type: 'text', text: `Task of the agent:\n-----\n${instruction}\n-----\n\nRequirements:\n${requirements}` },
          ...batch.flatMap((image): Part[] => [{ type: 'text', text: `Step ${image.step}. ${imageText({ image, fence })}` }, image.image]),
        ],
        schema,
        maxOutputTokens: 4_096,
        signal,
        parse: text => reply.safeParse(parseWholeJson(text)).data ?? null,
      });
      spend({ record, answer });
      return (answer.value?.images ?? []).filter(({ id }) => batch.some(image => image.id === id));
    },
  });
  return new Map(
    rated.flat().map(({ id, scores }) => [id, new Map(scores.map(({ item, score }) => [item, Math.min(10, Math.max(0, score))]))]),
  );
}

/** Labels of evidence that shows how the attempt ended; it goes with every item. */
const finalLabels: readonly string[] = ['tab', 'fresh'];

/**
 * The images of one item, in the order of the run: the final state, the pages on which the facts found values of the answer, and the five most
 * relevant. A value that a chosen image states already needs no other; the values that the requirement speaks of go first. Never more
 * than `max`, of which many final states take at most half: the page that shows the value must not be crowded out by open tabs.
 */
export function imagesForItem({
  images,
  relevance,
  item,
  values,
  max,
}: {
  images: readonly EvidenceItem[];
  relevance: Relevance;
  item: Pick<RubricItem, 'id' | 'requirement' | 'verification'>;
  /** Values of the final response and the evidence that states them. */
  values: readonly AnswerValue[];
  max: number;
}): EvidenceItem[] {
  const newestFirst = [...images].reverse();
  const score = ({ id }: EvidenceItem) => relevance.get(id)?.get(item.id) ?? 0;
  const ranked = newestFirst.filter(image => score(image) > 0).sort((a, b) => score(b) - score(a));
  const finals = finalStates(images);
  const wanted = wordsIn(`${item.requirement} ${item.verification ?? ''}`);
  const shared = ({ words }: AnswerValue) => [...words].filter(word => wanted.has(word)).length;

  const relevant = ranked.filter(image => !finals.includes(image)).slice(0, keptPerItem);
  const cited: EvidenceItem[] = [];
  for (const { places } of [...values].sort((a, b) => shared(b) - shared(a))) {
    const best = places.filter(({ fit }) => fit === places[0]!.fit).map(({ id }) => id);
    const stated = [...finals, ...relevant, ...cited].some(({ id }) => best.includes(id));
    const image = stated ? undefined : newestFirst.find(({ id }) => best.includes(id));
    if (image && cited.length < keptPerItem) cited.push(image);
  }
  const rest = [...cited, ...relevant];
  const room = Math.max(1, max - Math.min(rest.length, Math.ceil(max / 2)));
  const chosen = new Set([...finals.slice(0, room), ...rest, ...finals.slice(room)].slice(0, max));
  return images.filter(image => chosen.has(image));
}

/** The last image, then the newest first of what shows how the attempt ended. */
export function finalStates(images: readonly EvidenceItem[]): EvidenceItem[] {
  return [...images].reverse().filter(image => image === images.at(-1) || finalLabels.includes(image.label));
}
