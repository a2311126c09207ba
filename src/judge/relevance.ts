import { z } from 'zod';
import type { EvidenceItem } from '../core/evidence.ts';
import type { Part } from '../core/messages.ts';
import type { Model, ReplySchema } from '../core/model.ts';
import type { RubricItem } from '../core/task.ts';
import type { JudgeRecord } from '../core/verdict.ts';
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
          ...batch.flatMap((image): Part[] => [{ type: 'text', text: imageText({ image, fence }) }, image.image]),
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
const finalLabels: readonly string[] = ['final', 'tab', 'fresh'];

/**
 * The images of one item, in the order of the run: the final state and every tab, then the most relevant, the newer of two equals. Never
 * more than `max`; the final state goes first when it is tight.
 */
export function imagesForItem({
  images,
  relevance,
  itemId,
  max,
}: {
  images: readonly EvidenceItem[];
  relevance: Relevance;
  itemId: string;
  max: number;
}): EvidenceItem[] {
  const newestFirst = [...images].reverse();
  const finals = newestFirst.filter(image => image === images.at(-1) || finalLabels.includes(image.label));
  const score = ({ id }: EvidenceItem) => relevance.get(id)?.get(itemId) ?? 0;
  const ranked = newestFirst.filter(image => !finals.includes(image) && score(image) > 0).sort((a, b) => score(b) - score(a));
  const chosen = new Set([...finals, ...ranked.slice(0, keptPerItem)].slice(0, max));
  return images.filter(image => chosen.has(image));
}
