import { expect, test } from '@playwright/test';
import { imagesOf, textOf } from '../../../src/core/messages.ts';
import { webJudge } from '../../../src/judge/webjudge.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { evidence, never, unreachable } from './judging.ts';

const judge = (scores: number[], verdict: unknown) =>
  scripted({
    'critical-points': [{ points: ['The filter is on'] }],
    coach: ({ key }) => ({ reasoning: `reason ${key}`, shows: [], score: scores[Number(key.split('-').at(-1)) - 1]! }),
    grader: [verdict, verdict, verdict] as string[],
  });

const options = (folder: string) => ({
  instruction: 'Find a kettle.',
  evidence: ['e1', 'e2', 'e3'].map(id => evidence(folder, id)),
  actions: ['open the shop', 'click Blue'],
  seed: 'seed',
  signal: never,
});

test('images from score 3 go to the verdict with their reasons and the numbered actions', async ({}, info) => {
  const model = judge([1, 3, 5], { thoughts: 'all met', status: 'success' });
  const { items, protocol } = await webJudge({ model, ...options(info.outputDir) });
  expect(items).toMatchObject([{ id: 'webjudge', status: 'pass', evidence: ['e2', 'e3'], reason: 'all met' }]);
  expect(protocol).toContain('not leaderboard-comparable');
  const user = model.requests.at(-1)!.messages[1]!;
  expect(imagesOf(user)).toHaveLength(2);
  expect(textOf(user)).toContain('2. click Blue');
  expect(textOf(user)).toContain('1. reason webjudge/image-2');
  expect(textOf(user)).not.toContain('reason webjudge/image-1');
});

test('half of real runs keep no image: the actions decide alone', async ({}, info) => {
  const model = judge([1, 1, 2], 'Thoughts: blocked.\nStatus: "failure"');
  expect((await webJudge({ model, ...options(info.outputDir) })).items).toMatchObject([{ status: 'fail', evidence: [] }]);
  expect(imagesOf(model.requests.at(-1)!.messages[1]!)).toEqual([]);
});

test('malformed is cannot-tell, unreachable is unasked', async ({}, info) => {
  const status = async (verdict: unknown) =>
    (await webJudge({ model: judge([3, 3, 3], verdict), ...options(info.outputDir) })).items[0]!.status;
  expect(await status('It went well')).toBe('cannot-tell');
  expect(await status({ status: 'passed' })).toBe('cannot-tell');
  expect(await status(unreachable())).toBe('unasked');
});
