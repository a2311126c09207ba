import { expect, test } from '@playwright/test';
import { type Confusion, confusionOf, type LabelPair, measuresOf } from '../../../src/stats/confusion.ts';
import { cohensKappa } from '../../../src/stats/kappa.ts';

const counts = (truePositives: number, falseNegatives: number, falsePositives: number, trueNegatives: number): Confusion => ({
  truePositives,
  falseNegatives,
  falsePositives,
  trueNegatives,
});
const rounded = (value: number | null) => (value === null ? null : Math.round(value * 1000) / 1000);

test('pairs are counted by what is so and what was said', () => {
  const pairs = ['11', '11', '10', '01', '00', '00', '00'].map(([truth, judged]) => ({ truth: Number(truth), judged: Number(judged) }));
  expect(confusionOf(pairs as LabelPair[])).toEqual(counts(2, 1, 1, 3));
});

// What WebJudge's three models came to on 1,106 trajectories with human labels (reference: benchmarks.md §3.3).
for (const [judge, table, kappa, precision, recall, falsePositives] of [
  ['gpt-4o', counts(210, 85, 75, 736), 0.626, 0.737, 0.712, 0.092],
  ['WebJudge-7B', counts(171, 124, 55, 756), 0.553, 0.757, 0.58, 0.068],
  ['o4-mini', counts(141, 154, 31, 780), 0.507, 0.82, 0.478, 0.038],
] as const) {
  test(`kappa and the rates of ${judge}`, () => {
    const measures = measuresOf(table);
    expect(rounded(cohensKappa(table).value)).toBe(kappa);
    expect(rounded(measures.precision.value)).toBe(precision);
    expect(rounded(measures.recall.value)).toBe(recall);
    expect(rounded(measures.falsePositiveRate.value)).toBe(falsePositives);
    expect(measures.agreement.of).toBe(1106);
  });
}

test('90 % agreement is kappa 0.80 where the classes are balanced and 0.44 at 90:10', () => {
  expect(cohensKappa(counts(45, 5, 5, 45)).value).toBeCloseTo(0.8, 6);
  expect(cohensKappa(counts(5, 5, 5, 85)).value).toBeCloseTo(0.444, 3);
});

// Half-widths at kappa 0.7 with balanced classes (reference: lessons-and-evals.md B10); half a pair a cell moves them by less than 0.01.
for (const [total, half] of [
  [40, 0.225],
  [100, 0.14],
  [200, 0.1],
] as const) {
  test(`the interval at kappa 0.7 and ${total} labels is about ± ${half}`, () => {
    const agreeing = (total * 0.85) / 2;
    const differing = (total * 0.15) / 2;
    const { low, high, value } = cohensKappa(counts(agreeing, differing, differing, agreeing));
    expect(value).toBeCloseTo(0.7, 6);
    expect((high - low) / 2).toBeGreaterThan(half - 0.01);
    expect((high - low) / 2).toBeLessThan(half + 0.01);
  });
}

test('few labels are never certain, and one single label says nothing', () => {
  expect(cohensKappa(counts(4, 0, 0, 4))).toEqual({ value: 1, low: expect.closeTo(0.43, 2), high: 1 });
  expect(cohensKappa(counts(0, 4, 4, 0)).low).toBe(-1);
  expect(cohensKappa(counts(8, 0, 0, 0))).toEqual({ value: null, low: -1, high: 1 });
  expect(cohensKappa(counts(0, 0, 0, 0)).value).toBeNull();
  expect(cohensKappa(counts(4, 0, 4, 0)).value).toBe(0);
  expect(measuresOf(counts(0, 4, 0, 4)).precision).toEqual({ value: null, of: 0, low: 0, high: 1 });
});
