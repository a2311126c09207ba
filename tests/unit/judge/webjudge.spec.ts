import { expect, test } from '@playwright/test';
import { imagesOf, textOf } from '../../../src/core/messages.ts';
import { grade } from '../../../src/judge/grade.ts';
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
  const { items } = await webJudge({ model, ...options(info.outputDir) });
  expect(items).toMatchObject([{ id: 'webjudge', status: 'pass', evidence: ['e2', 'e3'], reason: 'all met' }]);
  expect(items[0]).toMatchObject({ votes: ['pass'], judgedBy: { calls: 1, promptDigest: expect.stringMatching(/^[0-9a-f]{64}$/) } });
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

test('as the grader of an attempt it leaves the rubric alone, keeps the checks, and takes the critical points that were drawn before', async ({}, info) => {
  const { actions, ...rest } = options(info.outputDir);
  const model = scripted({
    coach: () => ({ reasoning: 'the filter is on', shows: [], score: 4 }),
    grader: [{ thoughts: 'all met', status: 'success' }],
  });
  const { items, protocol } = await grade({
    ...rest,
    model,
    mode: 'webjudge',
    task: {
      instruction: rest.instruction,
      rubric: [{ id: 'R1', requirement: 'not asked about' }],
      checks: [{ id: 'C1', kind: 'answer-includes', text: '24.90' }],
    },
    history: '',
    actions,
    points: [{ id: 'CP1', text: 'The filter is on' }],
    finalResponse: '£24.90',
    checks: { finalResponse: '£24.90', pages: [], downloads: [] },
  });
  expect(items.map(({ id, status }) => `${id} ${status}`)).toEqual(['C1 pass', 'webjudge pass']);
  expect(protocol).toBe('webjudge (own prompts, not leaderboard-comparable)');
});
