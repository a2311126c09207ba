/**
 * `npm run bench:judge`: what looks of the coach cost in input tokens, images by two formulas, text counted (o200k). Six different screenshots
 * of 1280×1800, three critical points, each proven by an image of its own. Every image has the size at which the product would really send it.
 * The comparison sends every image twice at full size (Webwright: once alone, once in the verdict) with the very same text. Targets: one look
 * <= 0.6 of it; a second look at six images of which two are new, together with the first <= 0.6 of two such looks; stage-1 scale >= 0.75.
 * Nothing is asked of a model: the replies are scripted.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import sharp from 'sharp';
import { imagesOf, textOf } from '../dist/src/core/messages.js';
import { freezePoints } from '../dist/src/judge/critical-points.js';
import { selfReflect } from '../dist/src/judge/self-reflection.js';
import { imageEncoder } from '../dist/src/models/images.js';
import { scripted } from '../dist/src/models/scripted.js';
import { report } from './report.mjs';

const size = { width: 1280, height: 1800 };
/** Tokens of an image: Anthropic's by pixels, OpenAI's by tiles of 512 at high detail. */
const formulas = {
  pixels: ({ width, height }) => (width * height) / 750,
  tiles: ({ width, height }) => 85 + 170 * Math.ceil(width / 512) * Math.ceil(height / 512),
};

const folder = mkdtempSync(join(tmpdir(), 'webwright-bench-'));
const encode = imageEncoder({ onUnreadable: ({ path }) => Promise.reject(new Error(path)) });

/** A screenshot that differs from all others, with the text of a shop's page beside it. */
async function screenshot(number) {
  const bars = Array.from(
    { length: 40 },
    (_, row) => `<rect x="40" y="${row * 45}" width="${200 + ((row * 97 + number * 331) % 1000)}" height="20" fill="#456"/>`,
  );
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}"><rect width="100%" height="100%" fill="#fff"/>${bars.join('')}</svg>`;
  const bytes = await sharp(Buffer.from(svg)).png().toBuffer();
  const path = join(folder, `e${number}.png`);
  writeFileSync(path, bytes);
  const products = Array.from({ length: 20 }, (_, row) => `Kettle ${number}-${row} £${(19 + row * 1.5).toFixed(2)} in stock`);
  return {
    id: `e${number}`,
    step: number,
    source: 'harness',
    label: 'step',
    url: `http://shop.localhost/products?page=${number}`,
    title: `Kettles, page ${number}`,
    text: `Copperbell Kettles Lamps Basket\n${products.join('\n')}`,
    image: { type: 'image', path, mediaType: 'image/png', sha256: createHash('sha256').update(bytes).digest('hex') },
  };
}

/** A judge for whom the first three images prove a point each, and the others nothing. */
const coach = () =>
  scripted({
    coach: ({ key }) => {
      const index = Number(/image-(\d)/.exec(key)?.[1] ?? 0);
      if (index === 0) return { thoughts: 'not sorted', points: [], status: 'failure' };
      return {
        reasoning: 'The blue filter is on; the list is sorted.',
        shows: index <= 3 ? [`CP${index}`] : [],
        score: index <= 3 ? 5 : 2,
      };
    },
  });

async function tokensOf({ requests, formula }) {
  const messages = requests.flatMap(request => request.messages);
  let tokens = 0;
  for (const image of messages.flatMap(imagesOf)) {
    const sent = await encode({ image, maxEdgePx: 2576 });
    tokens += formula(await sharp(Buffer.from(sent.base64, 'base64')).metadata());
  }
  return tokens;
}
const textOfAll = requests => requests.flatMap(({ messages }) => messages).reduce((sum, message) => sum + countTokens(textOf(message)), 0);

const shots = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(screenshot));
const { points } = freezePoints({
  texts: ['The filter "Blue" is on.', 'The list is sorted by price, cheapest first.', 'The price is stated.'],
});
const options = {
  instruction: 'Find the cheapest blue kettle in stock and tell me its price.',
  points,
  log: Array.from({ length: 12 }, (_, step) => `step ${step + 1}: await page.getByRole('link', { name: 'Kettles' }).click()`).join('\n'),
  finalResponse: 'It costs £24.90.',
  seed: 'bench',
  signal: new AbortController().signal,
};
const first = shots.slice(0, 6);
const second = [...shots.slice(0, 4), ...shots.slice(6)];

const model = coach();
const cache = new Map();
await selfReflect({ model, ...options, images: first, look: 1, cache });
const oneLook = [...model.requests];
await selfReflect({ model, ...options, images: second, look: 2, cache });
const twoLooks = [...model.requests];
// The text that a second look without a cache would send.
const uncached = coach();
await selfReflect({ model: uncached, ...options, images: second, look: 2 });

const stage1 = oneLook.filter(({ key }) => key.includes('/image-')).flatMap(({ messages }) => messages.flatMap(imagesOf));
const metrics = { text: textOfAll(oneLook), stage1Scale: Math.min(...stage1.map(({ scale = 1 }) => scale)) };
const lines = [`text of one look: ${metrics.text} tokens; stage-1 scale ${metrics.stage1Scale}`];
const targets = { stage1Scale: { min: 0.75 } };
for (const [name, formula] of Object.entries(formulas)) {
  const everything = 12 * formula(size);
  const bothTexts = metrics.text + textOfAll(uncached.requests);
  const one = metrics.text + (await tokensOf({ requests: oneLook, formula }));
  const two = textOfAll(twoLooks) + (await tokensOf({ requests: twoLooks, formula }));
  metrics[`one-${name}`] = Number((one / (metrics.text + everything)).toFixed(3));
  metrics[`two-${name}`] = Number((two / (bothTexts + 2 * everything)).toFixed(3));
  Object.assign(targets, { [`one-${name}`]: { max: 0.6 }, [`two-${name}`]: { max: 0.6 } });
  lines.push(
    `by ${name}: one look ${Math.round(one)} of ${Math.round(metrics.text + everything)} tokens, two looks ${Math.round(two)} of ${Math.round(bothTexts + 2 * everything)}`,
  );
}
rmSync(folder, { recursive: true, force: true });
report({ bench: 'judge', metrics, targets, lines });
