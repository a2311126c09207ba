import { expect, test } from '@playwright/test';
import { countTokens } from 'gpt-tokenizer';
import { imagesOf, textOf } from '../../../src/core/messages.ts';
import type { ModelRequest } from '../../../src/core/model.ts';
import { freezePoints } from '../../../src/judge/critical-points.ts';
import { selfReflect } from '../../../src/judge/self-reflection.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { evidence, never } from './judging.ts';

/** Six screenshots of 1280×1800, three points, each shown by an image of its own; what the requests of a look cost by two formulas. */
const { points } = freezePoints({ texts: ['The filter "Blue" is on', 'The list is sorted by price', 'The price is stated'] });
const page = 'Blue kettles. Filter: Blue. Sort: price, ascending. '.repeat(20);

const formulas: Record<string, (width: number, height: number) => number> = {
  pixels: (width, height) => (width * height) / 750,
  tiles: (width, height) => 85 + 170 * Math.ceil(width / 512) * Math.ceil(height / 512),
};

/** {@link ImagePart.scale} has a floor for the longer edge. */
const sizeAt = (scale: number): [number, number] => {
  const factor = Math.max(scale, (scale < 0.5 ? 720 : 1_000) / 1_800);
  return [Math.round(1_280 * factor), Math.round(1_800 * factor)];
};

const textTokens = (requests: readonly ModelRequest[]) =>
  requests.flatMap(({ messages }) => messages).reduce((sum, message) => sum + countTokens(textOf(message)), 0);
const imageTokens = (requests: readonly ModelRequest[], formula: (width: number, height: number) => number) =>
  requests.flatMap(({ messages }) => messages.flatMap(imagesOf)).reduce((sum, { scale = 1 }) => sum + formula(...sizeAt(scale)), 0);

function coach() {
  return scripted({
    coach: ({ key }) => {
      const index = Number(/image-(\d)/.exec(key)?.[1] ?? 0);
      if (index === 0) return { thoughts: 'no', points: [], status: 'failure' };
      return {
        reasoning: 'The blue filter is on and the list is sorted.',
        shows: index <= 3 ? [`CP${index}`] : [],
        score: index <= 3 ? 5 : 2,
      };
    },
  });
}

test('a look costs at most 58 % of every image twice at full size; so do two looks with two new images', async ({}, info) => {
  const image = (id: string) => evidence(info.outputDir, id, { text: page });
  const options = {
    instruction: 'Find the cheapest blue kettle.',
    points,
    log: 'step 1 action: filter\n'.repeat(20),
    finalResponse: '£24.90',
    seed: 's',
    signal: never,
  };
  const model = coach();
  const cache = new Map();
  await selfReflect({ model, ...options, images: ['e1', 'e2', 'e3', 'e4', 'e5', 'e6'].map(image), look: 1, cache });
  const first = [...model.requests];
  await selfReflect({ model, ...options, images: ['e1', 'e2', 'e3', 'e4', 'e7', 'e8'].map(image), look: 2, cache });
  const uncached = coach();
  await selfReflect({ model: uncached, ...options, images: ['e1', 'e2', 'e3', 'e4', 'e7', 'e8'].map(image), look: 2 });

  for (const image of first.filter(({ key }) => key.includes('/image')).flatMap(({ messages }) => messages.flatMap(imagesOf))) {
    expect(image.scale).toBeGreaterThanOrEqual(0.75);
  }
  for (const [name, formula] of Object.entries(formulas)) {
    const everything = 12 * formula(1_280, 1_800);
    const oneText = textTokens(first);
    const one = (oneText + imageTokens(first, formula)) / (oneText + everything);
    const twoText = oneText + textTokens(uncached.requests);
    const two = (textTokens(model.requests) + imageTokens(model.requests, formula)) / (twoText + 2 * everything);
    info.annotations.push({
      type: name,
      description: `one look ${(one * 100).toFixed(1)} %, two looks ${(two * 100).toFixed(1)} %, text ${oneText} tokens`,
    });
    expect.soft(one, `one look by ${name}`).toBeLessThanOrEqual(0.58);
    expect.soft(two, `two looks by ${name}`).toBeLessThanOrEqual(0.58);
  }
});
