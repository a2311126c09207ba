import { test as base, expect } from '@playwright/test';
import { scripted, scriptedJudge } from '../../../fixtures/testing.ts';
import type { RubricItem } from '../../../src/core/task.ts';
import { drawCriticalPoints } from '../../../src/judge/critical-points.ts';
import { gradeRubric } from '../../../src/judge/grade.ts';
import { selfReflect } from '../../../src/judge/self-reflection.ts';
import { evidence, never } from '../judge/judging.ts';

const instruction = 'Find the cheapest blue kettle.';
const rubric: RubricItem[] = [
  { id: 'R1', requirement: 'The filter is on.' },
  { id: 'R2', requirement: 'The price is named.' },
];

const test = base.extend<{ images: ReturnType<typeof evidence>[] }>({
  images: async ({}, use, testInfo) => {
    await use(['e1', 'e2', 'e3', 'e4', 'e5', 'e6', 'e7', 'e8', 'e9', 'e10'].map(id => evidence(testInfo.outputPath('evidence'), id)));
  },
});

test('points and looks as our coach reads them: one verdict a look, as scripted', async ({ images }) => {
  const model = scripted(scriptedJudge({ points: ['The filter is on.', 'The price is named.'], looks: ['failure', 'success'] }));
  const { points, fallback } = await drawCriticalPoints({ model, instruction, signal: never });
  expect(points.map(({ id }) => id)).toEqual(['CP1', 'CP2']);
  expect(fallback).toBe(false);
  const look = (number: number) =>
    selfReflect({
      model,
      instruction,
      points,
      images: images.slice(0, 2),
      log: 'ran',
      finalResponse: '',
      look: number,
      seed: 's',
      signal: never,
    });
  expect((await look(1)).predicted_label).toBe(0);
  const second = await look(2);
  expect(second.predicted_label).toBe(1);
  expect(second.images.map(({ score }) => score)).toEqual([5, 5]);
  await expect(look(3)).rejects.toThrow(/nothing is scripted for coach look-3.*\n {2}seen: looks: 2/);
});

for (const mode of ['robust', 'odysseys-protocol'] as const) {
  test(`items as our grader reads them (${mode}): each as scripted`, async ({ images }) => {
    const model = scripted(scriptedJudge({ items: { R1: 'pass', R2: 'fail' } }));
    const context = { pages: [], downloads: [], finalResponse: '' };
    const { items } = await gradeRubric({
      model,
      task: { instruction, rubric, checks: [] },
      evidence: images,
      history: '',
      finalResponse: '',
      checked: [],
      context,
      seed: 's',
      signal: never,
      mode,
    });
    expect(items.map(({ id, status }) => [id, status])).toEqual([
      ['R1', 'pass'],
      ['R2', 'fail'],
    ]);
  });
}

test('an item and a role nobody scripted never pass', async ({ images }) => {
  const model = scripted(scriptedJudge({ items: { R1: 'pass' } }));
  const context = { pages: [], downloads: [], finalResponse: '' };
  const { items } = await gradeRubric({
    model,
    task: { instruction, rubric, checks: [] },
    evidence: images.slice(0, 1),
    history: '',
    finalResponse: '',
    checked: [],
    context,
    seed: 's',
    signal: never,
  });
  expect(items[1]).toMatchObject({ id: 'R2', status: 'unasked' });
  expect(items[1]!.reason).toContain('nothing is scripted for grader item-R2');
  await expect(drawCriticalPoints({ model, instruction, signal: never })).rejects.toThrow('Nothing is scripted for role "critical-points"');
});
