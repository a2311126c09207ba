import { expect, test } from '@playwright/test';
import { imagesOf, textOf } from '../../../src/core/messages.ts';
import { type GradeOptions, grade } from '../../../src/judge/grade.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { evidence, garbage, never, random, unreachable } from './judging.ts';

const pass = { reason: 'the price is visible', status: 'pass', evidence: ['e1'], confidence: 0.9 };

const options = (folder: string): Omit<GradeOptions, 'model'> => ({
  task: {
    instruction: 'Find the cheapest blue kettle.',
    rubric: [
      { id: 'R1', requirement: 'The filter is on', verification: 'A chip says Blue' },
      { id: 'R2', requirement: 'The price is stated' },
    ],
    checks: [{ id: 'C1', kind: 'answer-includes', text: '24.90' }],
  },
  evidence: [evidence(folder, 'e1'), evidence(folder, 'e2', { source: 'claim' })],
  history: '1. I filter by blue.',
  finalResponse: 'It costs £24.90.',
  checks: { finalResponse: 'It costs £24.90.', pages: [], downloads: [] },
  seed: 'seed',
  signal: never,
  mode: 'odysseys-protocol',
});

test('checks first, then one call per item in the order of the scorer', async ({}, info) => {
  const model = scripted({ grader: [pass, pass] });
  const verdict = await grade({ model, ...options(info.outputDir) });
  expect(verdict.items).toMatchObject([
    { id: 'C1', kind: 'check', status: 'pass' },
    { id: 'R1', kind: 'rubric', status: 'pass', evidence: ['e1'], confidence: 0.9 },
    { id: 'R2', status: 'pass' },
  ]);
  expect(verdict).toMatchObject({ protocol: expect.stringContaining('not leaderboard-comparable'), record: { calls: 2 } });
  expect(model.requests.map(({ key }) => key)).toEqual(['item-R1', 'item-R2']);
  const user = model.requests[0]!.messages[1]!;
  const text = textOf(user);
  const order = ['cheapest blue kettle', 'The filter is on', 'A chip says Blue', '1. I filter by blue.', 'Images: 2'].map(part =>
    text.indexOf(part),
  );
  expect(order).toEqual([...order].sort((a, b) => a - b));
  expect(order[0]).toBeGreaterThanOrEqual(0);
  expect(text).not.toContain('The price is stated');
  expect(text).toContain("The agent's final response, a claim");
  expect(text).toContain('Image e2, made by the agent (a claim)');
  expect(imagesOf(user)).toHaveLength(2);
});

const replies: [string, unknown, string][] = [
  ['a fail', { ...pass, status: 'fail' }, 'fail'],
  ['a fail that cites nothing', { ...pass, status: 'fail', evidence: [] }, 'fail'],
  ['cannot tell', { ...pass, status: 'cannot-tell' }, 'cannot-tell'],
  ['a pass that cites nothing', { ...pass, evidence: [] }, 'cannot-tell'],
  ['a pass that cites what does not exist', { ...pass, evidence: ['e1', 'e9'] }, 'cannot-tell'],
  ['a pass on the history alone', { ...pass, evidence: ['history'] }, 'cannot-tell'],
  ['a pass on the history and a harness image', { ...pass, evidence: ['history', 'e1'] }, 'pass'],
  ['a pass in the text form', 'Thoughts: seen.\nEvidence: e1\nStatus: success', 'pass'],
  ['a pass in the text form without evidence', 'Thoughts: seen.\nStatus: success', 'cannot-tell'],
];
for (const [name, reply, status] of replies) {
  test(`${name}: ${status}`, async ({}, info) => {
    const { items } = await grade({ model: scripted({ grader: () => reply as string }), ...options(info.outputDir) });
    expect(items[1]).toMatchObject({ id: 'R1', status, reason: expect.stringMatching(/./) });
  });
}

test('H18: what the agent claims is labelled and cannot satisfy an item alone', async ({}, info) => {
  const model = scripted({ grader: () => ({ ...pass, evidence: ['e2'] }) });
  const { items } = await grade({ model, ...options(info.outputDir) });
  expect(items[1]).toMatchObject({ status: 'cannot-tell', reason: expect.stringContaining('nothing that the harness captured') });
});

test('three malformed replies are cannot-tell, a later good one counts', async ({}, info) => {
  const refusal = { text: JSON.stringify(pass), finishReason: 'refusal' as const };
  const model = scripted({ grader: ['?', { ...pass, status: 'passed' }, refusal, '?', pass] });
  const { items } = await grade({ model, ...options(info.outputDir) });
  expect(items.slice(1)).toMatchObject([{ status: 'cannot-tell', reason: expect.stringContaining('refusal') }, { status: 'pass' }]);
  expect(model.requests.map(({ key }) => key)).toEqual(['item-R1', 'item-R1/try-2', 'item-R1/try-3', 'item-R2', 'item-R2/try-2']);
});

test('a judge that cannot be asked leaves items unasked, and is not asked again', async ({}, info) => {
  const model = scripted({ grader: [unreachable(), pass] });
  const { items } = await grade({ model, ...options(info.outputDir) });
  expect(items.map(({ status }) => status)).toEqual(['pass', 'unasked', 'unasked']);
  expect(items[1]!.reason).toContain('unreachable');
  expect(model.requests).toHaveLength(1);
});

test('no judge, no evidence, an interrupted run: unasked; checks are decided all the same', async ({}, info) => {
  const model = scripted({ grader: () => pass });
  const base = options(info.outputDir);
  const statuses = async (change: Partial<GradeOptions>) =>
    (await grade({ model, ...base, ...change })).items.map(({ status, reason }) =>
      `${status} ${status === 'unasked' ? reason : ''}`.trim(),
    );
  expect(await statuses({ model: null })).toEqual(['pass', expect.stringContaining('no judge'), expect.stringContaining('no judge')]);
  expect(await statuses({ evidence: [] })).toEqual(['pass', expect.stringContaining('nothing to check'), expect.anything()]);
  expect(await statuses({ signal: AbortSignal.abort() })).toEqual(['pass', expect.stringContaining('interrupted'), expect.anything()]);
  expect(model.requests).toEqual([]);
});

test('garbage never passes', async ({}, info) => {
  const next = random(13);
  const base = options(info.outputDir);
  for (let round = 0; round < 300; round++) {
    const { items } = await grade({ model: scripted({ grader: () => ({ text: garbage(next) }) }), ...base });
    for (const { status } of items.slice(1)) expect(status).not.toBe('pass');
  }
});

test('the protocol keeps what the scorer itself would have read beside the tolerant reading', async ({}, info) => {
  const strictOf = async (reply: string) => {
    const { items } = await grade({ model: scripted({ grader: () => reply }), ...options(info.outputDir) });
    return `${items[1]!.status} ${items[1]!.strict}`;
  };
  expect(await strictOf('Thoughts: seen.\nEvidence: e1\nStatus: success')).toBe('pass pass');
  expect(await strictOf('Thoughts: seen.\nEvidence: e1\n**Status:** success')).toBe('pass fail');
  expect(await strictOf('Thoughts: the filter reads Status: failure at first.\nEvidence: e1\nStatus: success')).toBe('pass fail');
});

test('with a prompt file of the scorer its prompt is sent, nothing must be cited, and the protocol names the file', async ({}, info) => {
  const model = scripted({ grader: () => 'Thoughts: seen.\nStatus: success' });
  const own = await grade({ model, ...options(info.outputDir), scorerPrompt: 'Judge this item.' });
  expect(own.items[1]).toMatchObject({ status: 'pass', strict: 'pass' });
  expect(own.protocol).toMatch(/^odysseys-protocol \(prompt file [0-9a-f]{12}\)$/);
  expect(textOf(model.requests[0]!.messages[0]!)).toBe('Judge this item.');
  const ours = await grade({ model, ...options(info.outputDir) });
  expect(ours.protocol).toContain('own prompts, not leaderboard-comparable');
});
