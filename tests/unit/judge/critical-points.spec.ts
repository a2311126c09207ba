import { expect, test } from '@playwright/test';
import { textOf } from '../../../src/core/messages.ts';
import { drawCriticalPoints, parsePoints } from '../../../src/judge/critical-points.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { never, unreachable } from './judging.ts';

const instruction = 'Find the cheapest blue kettle and tell me its price.';

test('points are numbered, frozen and hashed, and come from the instruction alone', async () => {
  const model = scripted({ 'critical-points': [{ points: ['The filter "Blue" is on', 'Sorted by price', 'The price is stated'] }] });
  const drawn = await drawCriticalPoints({ model, instruction, signal: never });
  expect(drawn.points.map(({ id }) => id)).toEqual(['CP1', 'CP2', 'CP3']);
  expect(drawn).toMatchObject({ fallback: false, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  expect(Object.isFrozen(drawn.points)).toBe(true);
  expect(() => ((drawn.points[0] as { text: string }).text = 'x')).toThrow(TypeError);
  expect(model.requests).toMatchObject([{ role: 'critical-points', key: 'points' }]);
  expect(textOf(model.requests[0]!.messages[1]!)).toContain(instruction);
});

test('three unusable replies leave the instruction as the one point, flagged', async () => {
  const tooMany = { points: Array.from({ length: 13 }, (_, index) => `point ${index}`) };
  const model = scripted({ 'critical-points': ['I would buy the kettle.', { points: [] }, tooMany] });
  const drawn = await drawCriticalPoints({ model, instruction, signal: never });
  expect(drawn.points).toEqual([{ id: 'CP1', text: instruction }]);
  expect(drawn.fallback).toBe(true);
  expect(model.requests.map(({ key }) => key)).toEqual(['points', 'points/try-2', 'points/try-3']);
});

test('a reply that was cut off is not used', async () => {
  const model = scripted({ 'critical-points': [{ text: '{"points":["half"]}', finishReason: 'length' }, { points: ['whole'] }] });
  expect((await drawCriticalPoints({ model, instruction, signal: never })).points).toMatchObject([{ text: 'whole' }]);
});

test('repeats of a task share their points; a failure is not shared', async () => {
  const cache = new Map();
  const model = scripted({ 'critical-points': ['?', '?', '?', { points: ['a'] }] });
  const draw = (text: string) => drawCriticalPoints({ model, instruction: text, signal: never, cache });
  expect((await draw(instruction)).fallback).toBe(true);
  const first = await draw(instruction);
  expect(await draw(instruction)).toBe(first);
  await expect(draw('another task')).rejects.toMatchObject({ failure: 'recording' });
});

test('a model that cannot be asked says so', async () => {
  const model = scripted({ 'critical-points': [unreachable()] });
  await expect(drawCriticalPoints({ model, instruction, signal: never })).rejects.toMatchObject({ failure: 'unreachable' });
});

test('lists are read in the forms models write them', () => {
  expect(parsePoints('1. First\n2. Second  \n')).toEqual(['First', 'Second']);
  expect(parsePoints('Points:\n- [ ] CP1: First\n- [ ] CP2: Second')).toEqual(['First', 'Second']);
  expect(parsePoints('**1.** First\n* Second')).toEqual(['First', 'Second']);
  expect(parsePoints('```json\n{"points": [{"text": "First"}, "Sec\\u200bond", "First"]}\n```')).toEqual(['First', 'Second']);
  expect(parsePoints('No list here.')).toBeNull();
  expect(parsePoints('{"points": [""]}')).toBeNull();
  expect(parsePoints('')).toBeNull();
});
