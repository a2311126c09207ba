import { expect, test } from '@playwright/test';
import { addedPoints, planProblem, scriptProblem, unprovenPoints } from '../../../src/agent/facts.ts';

const points = [
  { id: 'CP1', text: "The kettle's price is shown." },
  { id: 'CP2', text: 'The kettle was reserved for two days.' },
];
const image = (label: string, source: 'harness' | 'claim' = 'harness') => ({ label, source });
const unproven = (log: string, images: ReturnType<typeof image>[] = []) => unprovenPoints({ points, log, images }).map(({ id }) => id);

test('a plan names every point, in any of the usual forms of a list', () => {
  for (const plan of ['- [ ] CP1: a\n- [x] CP2: b', '* CP1. a\n* **CP2**: b\n- [ ] CP3: more', '- [ ] cp01: a\n- [ ] cp02) b'])
    expect(planProblem({ plan, points }), plan).toBeNull();
  expect(planProblem({ plan: 'CP1 and CP2 are done', points })).toContain('leaves out CP1, CP2');
  expect(planProblem({ plan: '- [ ] CP1: a\n- [ ] CP12: b', points })).toContain('leaves out CP2.');
});

test('a plan may add points; the words of the given ones stay those of the harness', () => {
  const plan = '- [ ] CP1: something else\n- [ ] CP2: b\n- [ ] CP3: the colour is blue\n- [ ] CP4:\n';
  expect(addedPoints({ plan, points })).toEqual([{ id: 'CP3', text: 'the colour is blue' }]);
  const many = Array.from({ length: 40 }, (_, index) => `- CP${index + 3}: ${'x'.repeat(1_000)}\n`).join('');
  expect(addedPoints({ plan: many, points })).toHaveLength(12);
  expect(addedPoints({ plan: many, points })[0]!.text).toHaveLength(300);
});

test('a point is spoken of by its number or by a word of its own, in a log line or in the name of a picture of the harness', () => {
  expect(unproven('')).toEqual(['CP1', 'CP2']);
  expect(unproven('step 1 action: CP1: look\n', [image('cp2_done')])).toEqual([]);
  expect(unproven('step 1 action: read the prices\n')).toEqual(['CP2']);
  expect(unproven('Final Response: the reservation stands\n')).toEqual(['CP1']);
  expect(unproven('step 1 action: x\n', [image('price and reservation', 'claim')])).toEqual(['CP1', 'CP2']);
  // CP12 is not CP1 and CP2; the word "shown" is about proving; the number of a step is no word.
  expect(unproven('step 12 action: CP12 is shown\n')).toEqual(['CP1', 'CP2']);
});

test('what the answer must say is held against the answer, and needs no line of its own', () => {
  const points = [{ id: 'CP1', text: 'The answer mentions no other price.' }];
  expect(unprovenPoints({ points, log: 'step 1 action: x', images: [] })).toEqual(points);
  expect(unprovenPoints({ points, log: 'Final Response: it is done', images: [] })).toEqual([]);
});

test('what would refuse a run for certain is known before it begins', () => {
  const plan = '- [ ] CP1: a\n- [ ] CP2: b\n- [ ] CP3: the colour is blue\n';
  const script = "await shot('CP1 CP2'); // the colour";
  expect(scriptProblem({ text: script, plan, points })).toBeNull();
  expect(scriptProblem({ text: "await shot('CP1')", plan, points })).toMatch(
    /final_script\.mjs has neither .* for CP2, CP3:[\s\S]*Nothing was done yet/,
  );
  expect(scriptProblem({ text: script, plan: null, points })).toContain('There is no plan.md');
});
