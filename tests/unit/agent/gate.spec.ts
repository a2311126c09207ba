import { expect, test } from '@playwright/test';
import { type CoachOptions, type Completion, createCoach } from '../../../src/agent/gate.ts';
import type { CoachVerdict } from '../../../src/core/verdict.ts';
import { newLog } from './harness.ts';

const material = (log: string, run = 1): Completion => ({ material: { images: [], log, run } });

/** A coach whose material and verdicts are given, in order; it counts what was paid. */
const setup = ({
  found = [material('step 1')],
  labels = [1],
  ...options
}: Partial<CoachOptions> & { found?: Completion[]; labels?: CoachVerdict['predicted_label'][] } = {}) => {
  const log = newLog();
  const looked: string[] = [];
  const exported: CoachVerdict[] = [];
  let collected = 0;
  const coach = createCoach({
    required: true,
    mode: 'self_reflection',
    maxLooks: 5,
    log,
    step: () => 1,
    signal: new AbortController().signal,
    collect: async () => found[Math.min(collected++, found.length - 1)]!,
    look: async ({ look, finalResponse, material: { run } }) => {
      looked.push(finalResponse);
      return {
        predicted_label: labels[look - 1] ?? 0,
        reasons: `look ${look}`,
        images: [],
        look,
        model: 'm',
        ...(run === undefined ? {} : { run }),
      };
    },
    exportVerdict: verdict => exported.push(verdict),
    ...options,
  });
  const done = (finalResponse = 'answer') => coach.gate({ step: 1, finalResponse, signal: new AbortController().signal });
  return { coach, done, looked, exported, log };
};

test('label 1 passes; anything else is refused with the reasons and what to do next', async () => {
  expect(await setup().done()).toMatchObject({ passed: true, verdict: { predicted_label: 1 } });
  for (const label of [0, null] as const) {
    const decision = await setup({ labels: [label] }).done();
    expect(decision).toMatchObject({ passed: false, message: expect.stringMatching(/look 1[\s\S]*run_2[\s\S]*4 looks are left/) });
  }
});

test('facts first: a refusal by code and an empty answer cost no look', async () => {
  const { done, looked } = setup({ found: [{ refusal: 'there is no final_runs/ folder' }] });
  expect(await done()).toMatchObject({ passed: false, message: 'there is no final_runs/ folder', verdict: null });
  expect(await setup().done('  ')).toMatchObject({ passed: false });
  expect(looked).toEqual([]);
});

test('the cheap gate stops after the facts, and a gate that is off lets the claim through', async () => {
  const cheap = setup({ mode: 'facts' });
  expect(await cheap.done()).toEqual({ passed: true, verdict: null });
  const off = setup({ required: false, found: [{ refusal: 'nothing' }] });
  expect(await off.done()).toEqual({ passed: true, verdict: null });
  expect([...cheap.looked, ...off.looked]).toEqual([]);
});

test('the same material is judged once: a pass stands, and so does a refusal', async () => {
  const { done, looked, coach } = setup({ labels: [0, 1] });
  await done();
  expect(await done()).toMatchObject({ passed: false });
  expect(looked).toHaveLength(1);
  expect(await done('a better answer')).toMatchObject({ passed: true });
  expect(await done('a better answer')).toMatchObject({ passed: true });
  expect(coach.looks()).toBe(2);
});

test('a pass is bound to what was judged: a changed run is judged again', async () => {
  const { done, looked } = setup({ found: [material('step 1'), material('step 1', 2), material('step 1 changed', 2)], labels: [1, 1, 0] });
  expect(await done()).toMatchObject({ passed: true });
  expect(await done()).toMatchObject({ passed: true });
  expect(await done()).toMatchObject({ passed: false });
  expect(looked).toHaveLength(3);
});

test('a look asked for by a command counts, is exported, and serves the done that follows', async () => {
  const { coach, done, looked, exported } = setup({ found: [material('step 1 action: x\nFinal Response: £24.90\n')] });
  expect(await coach.selfReflection({})).toMatchObject({ verdict: { predicted_label: 1 } });
  expect(await done('£24.90')).toMatchObject({ passed: true });
  expect(looked).toEqual(['£24.90']);
  expect(exported).toHaveLength(1);
});

test('when all looks are used, new material ends the attempt with the answer kept', async () => {
  const { done, coach } = setup({ maxLooks: 1, labels: [0] });
  await done('first');
  expect(await done('second')).toMatchObject({ exit: { exit_status: 'LimitsExceeded', limit: 'reflections', final_response: 'second' } });
  expect(await coach.selfReflection({})).toMatchObject({ refusal: expect.stringContaining('looks') });
});
