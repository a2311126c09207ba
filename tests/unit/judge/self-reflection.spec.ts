import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { imagesOf, textOf } from '../../../src/core/messages.ts';
import type { ModelRequest } from '../../../src/core/model.ts';
import { freezePoints } from '../../../src/judge/critical-points.ts';
import { type ImageCache, type SelfReflectOptions, selfReflect } from '../../../src/judge/self-reflection.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { evidence, garbage, never, random, unreachable } from './judging.ts';

const { points } = freezePoints({ texts: ['The filter "Blue" is on', 'The price is stated'] });
const met = (...ids: string[]) => ids.map(id => ({ id, status: 'met', reason: 'seen', evidence: ['e1'] }));
const success = { thoughts: 'all shown', points: met('CP1', 'CP2'), status: 'success' };
const seen = { reasoning: 'the filter is on', shows: ['CP1'], score: 4 };

/** A judge whose two stages are scripted apart. */
const judge = (image: (request: ModelRequest) => unknown, verdict: unknown) =>
  scripted({ coach: request => (request.key.includes('/verdict') ? verdict : image(request)) as string });

const options = (folder: string): Omit<SelfReflectOptions, 'model'> => ({
  instruction: 'Find the cheapest blue kettle.',
  points,
  images: [evidence(folder, 'e1'), evidence(folder, 'e2')],
  log: 'step 1 action: filter by blue',
  finalResponse: 'It costs £24.90.',
  look: 1,
  seed: 'seed',
  signal: never,
});

test('two stages: every image, then one verdict over all of it', async ({}, info) => {
  const model = judge(() => seen, success);
  const verdict = await selfReflect({ model, ...options(info.outputDir), run: 3 });
  expect(verdict).toMatchObject({ predicted_label: 1, look: 1, run: 3, points: [{ id: 'CP1', status: 'met' }, { id: 'CP2' }] });
  expect(verdict.images).toMatchObject([{ id: 'e1', score: 4, shows: ['CP1'] }, { id: 'e2' }]);
  expect(verdict.record).toMatchObject({ calls: 3, promptDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(model.requests.map(({ key }) => key).sort()).toEqual(['look-1/image-1', 'look-1/image-2', 'look-1/verdict']);
  const [, user] = model.requests.at(-1)!.messages;
  expect(imagesOf(user!).map(({ path }) => path)).toEqual(verdict.images.map(({ path }) => path));
  for (const part of ['the filter is on', 'step 1 action', 'text of e1', 'http://shop.localhost/', '£24.90', 'CP2: The price']) {
    expect(textOf(user!)).toContain(part);
  }
});

test('the text form of both replies is read too', async ({}, info) => {
  const verdict = await selfReflect({
    model: judge(() => 'Reasoning: blurred.\n**Score**: 2', 'Thoughts: no.\n**Status:** "failure"'),
    ...options(info.outputDir),
  });
  expect(verdict).toMatchObject({ predicted_label: 0, reasons: expect.stringContaining('no.'), images: [{ score: 2 }, { score: 2 }] });
});

const notPassing: [string, unknown, 0 | null][] = [
  ['an empty reply', '', null],
  ['prose', 'It went well.', null],
  ['a refusal', { text: JSON.stringify(success), finishReason: 'refusal' }, null],
  ['a reply that was cut off', { text: JSON.stringify(success), finishReason: 'length' }, null],
  ['an object in prose', { text: `The page says ${JSON.stringify(success)}.` }, null],
  ['an unknown status', { ...success, status: 'ok' }, null],
  ['a label instead of a status', { predicted_label: 1 }, null],
  ['no points', { ...success, points: undefined }, null],
  ['a point that is not met', { ...success, points: [...met('CP1'), { id: 'CP2', status: 'not-met', reason: 'no price' }] }, 0],
  ['a point that cannot be told', { ...success, points: [...met('CP1'), { id: 'CP2', status: 'cannot-tell', reason: '?' }] }, 0],
  ['a point left out', { ...success, points: met('CP1') }, 0],
  ['a point judged both ways', { ...success, points: [...met('CP1', 'CP2'), { id: 'CP2', status: 'not-met' }] }, 0],
  ['evidence that does not exist', { ...success, points: [...met('CP1'), { id: 'CP2', status: 'met', evidence: ['e99'] }] }, 0],
  ['all points met and yet failure', { ...success, status: 'failure' }, 0],
];
for (const [name, reply, label] of notPassing) {
  test(`J4 ${name} does not pass`, async ({}, info) => {
    const verdict = await selfReflect({ model: judge(() => seen, reply), ...options(info.outputDir) });
    expect(verdict.predicted_label).toBe(label);
    expect(verdict.reasons).not.toBe('');
  });
}

test('J4 garbage never passes', async ({}, info) => {
  const next = random(11);
  const images = options(info.outputDir);
  for (let round = 0; round < 300; round++) {
    const reply = garbage(next);
    const verdict = await selfReflect({ model: judge(() => garbage(next), { text: reply }), ...images });
    if (verdict.predicted_label === 1) expect(reply).toMatch(/status\W*success/i);
  }
});

test('a point that only pictures of the agent prove is not met; a picture of the harness beside them is enough', async ({}, info) => {
  const images = [evidence(info.outputDir, 'e1', { source: 'claim' }), evidence(info.outputDir, 'e2')];
  const look = async (cited: string[]) => {
    const reply = {
      ...success,
      points: [
        { id: 'CP1', status: 'met', reason: 'seen', evidence: ['e2'] },
        { id: 'CP2', status: 'met', reason: 'seen', evidence: cited },
      ],
    };
    return selfReflect({ model: judge(() => seen, reply), ...options(info.outputDir), images });
  };
  expect(await look(['e1'])).toMatchObject({
    predicted_label: 0,
    reasons: expect.stringContaining('CP2 cannot-tell: seen (cites only pictures that the agent made)'),
  });
  expect(await look(['e1', 'e2'])).toMatchObject({ predicted_label: 1 });
});

test('an image whose score cannot be read is tried three times, counts 0 and is asked again at the next look', async ({}, info) => {
  const cache: ImageCache = new Map();
  const model = judge(({ key }) => (key.includes('image-2') ? 'I cannot say' : seen), success);
  const first = await selfReflect({ model, ...options(info.outputDir), cache });
  expect(first.images[1]).toMatchObject({ score: 0, parseFailed: true, reasoning: expect.stringContaining('I cannot say') });
  expect(model.requests.map(({ key }) => key)).toContain('look-1/image-2/try-3');
  expect(model.requests).toHaveLength(5);
  await selfReflect({ model, ...options(info.outputDir), look: 2, cache });
  expect(model.requests.slice(5).map(({ key }) => key)).toEqual([
    'look-2/image-2',
    'look-2/image-2/try-2',
    'look-2/image-2/try-3',
    'look-2/verdict',
  ]);
});

test('a second look pays only for new images and for changed facts', async ({}, info) => {
  const cache: ImageCache = new Map();
  const model = judge(() => seen, success);
  const base = options(info.outputDir);
  await selfReflect({ model, ...base, cache });
  const before = model.requests.length;
  const [e1, e2] = base.images;
  const verdict = await selfReflect({
    model,
    ...base,
    images: [e1!, { ...e2!, url: 'http://evil.localhost/' }, evidence(info.outputDir, 'e3')],
    look: 2,
    cache,
  });
  expect(model.requests.slice(before).map(({ key }) => key)).toEqual(['look-2/image-2', 'look-2/image-3', 'look-2/verdict']);
  expect(verdict.images.map(({ cached }) => cached ?? false)).toEqual([true, false, false]);
});

test('the same picture is judged once, and the harness vouches for it rather than the agent', async ({}, info) => {
  const model = judge(() => seen, success);
  const images = [evidence(info.outputDir, 'e7', { content: 'x' }), evidence(info.outputDir, 'e8', { content: 'x', source: 'claim' })];
  const verdict = await selfReflect({ model, ...options(info.outputDir), images });
  expect(verdict.images.map(({ id }) => id)).toEqual(['e7']);
  expect(textOf(model.requests.at(-1)!.messages[1]!)).not.toContain('made by the agent');
});

test('broken images are found before the first paid call', async ({}, info) => {
  const model = judge(() => seen, success);
  const base = options(info.outputDir);
  const refused = async (seen: RegExp) => {
    await expect(selfReflect({ model, ...base })).rejects.toMatchObject({ code: 'EVIDENCE', seen: expect.stringMatching(seen) });
    expect(model.requests).toEqual([]);
  };
  const { path } = base.images[1]!.image;
  writeFileSync(path, 'changed');
  await refused(/other bytes/);
  writeFileSync(path, '');
  await refused(/empty/);
  rmSync(path);
  await refused(/ENOENT/);
});

test('with nothing to look at there is no verdict and no call', async ({}, info) => {
  const model = judge(() => seen, success);
  expect(await selfReflect({ model, ...options(info.outputDir), images: [], log: ' ' })).toMatchObject({ predicted_label: null });
  expect(model.requests).toEqual([]);
});

test('J4 a judge that cannot be asked is no verdict: the error reaches the caller, no further image is started', async ({}, info) => {
  const images = ['e1', 'e2', 'e3', 'e4'].map(id => evidence(info.outputDir, id));
  const model = judge(() => unreachable(), success);
  const look = selfReflect({ model, ...options(info.outputDir), images, concurrency: 1 });
  await expect(look).rejects.toMatchObject({ failure: 'unreachable' });
  expect(model.requests).toHaveLength(1);
  const late = judge(() => seen, unreachable());
  await expect(selfReflect({ model: late, ...options(info.outputDir) })).rejects.toMatchObject({ failure: 'unreachable' });
});

test('an aborted look ends at once', async ({}, info) => {
  const stop = new AbortController();
  const model = judge(() => {
    stop.abort(new Error('test over'));
    return seen;
  }, success);
  await expect(selfReflect({ model, ...options(info.outputDir), concurrency: 1, signal: stop.signal })).rejects.toThrow();
  expect(model.requests).toHaveLength(1);
});

test('never more calls at once than the limit', async ({}, info) => {
  let open = 0;
  let most = 0;
  const images = Array.from({ length: 9 }, (_, index) => evidence(info.outputDir, `e${index + 1}`));
  const model = scripted({
    coach: async request => {
      if (request.key.includes('verdict')) return success;
      most = Math.max(most, ++open);
      await new Promise(resolve => setImmediate(resolve));
      open -= 1;
      return seen;
    },
  });
  await selfReflect({ model, ...options(info.outputDir), images, concurrency: 3 });
  expect(most).toBe(3);
});

test('above the cap the best image of each point is sent, and the last one', async ({}, info) => {
  const images = Array.from({ length: 8 }, (_, index) => evidence(info.outputDir, `e${index + 1}`));
  const judged: Record<string, object> = {
    'look-1/image-2': { reasoning: 'r', shows: ['CP1'], score: 5 },
    'look-1/image-4': { reasoning: 'r', shows: ['CP2'], score: 3 },
    'look-1/image-6': { reasoning: 'r', shows: ['CP1'], score: 4 },
  };
  const model = judge(({ key }) => judged[key] ?? { reasoning: 'r', shows: [], score: 1 }, success);
  await selfReflect({ model, ...options(info.outputDir), images, maxImages: 3 });
  const sent = imagesOf(model.requests.at(-1)!.messages[1]!).map(({ path }) => path);
  expect(sent).toEqual([images[1], images[3], images[7]].map(image => image!.image.path));
});
