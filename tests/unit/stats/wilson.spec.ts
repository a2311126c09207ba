import { expect, test } from '@playwright/test';
import { wilson } from '../../../src/stats/wilson.ts';

// Published values: 95 % Wilson intervals in percent.
for (const [successes, total, low, high] of [
  [6, 8, 41, 93],
  [8, 8, 68, 100],
  [14, 20, 48, 86],
  [0, 30, 0, 11],
  [89, 200, 37.8, 51.4],
  [170, 200, 79.4, 89.3],
  [0, 0, 0, 100],
] as const) {
  test(`${successes} of ${total} is ${low}–${high} %`, () => {
    const interval = wilson({ successes, total });
    expect(interval.low * 100).toBeCloseTo(low, low % 1 ? 1 : -0.31);
    expect(interval.high * 100).toBeCloseTo(high, high % 1 ? 1 : -0.31);
  });
}

test('a fraction of a success lies between its neighbours', () => {
  const low = [2, 2.5, 3].map(successes => wilson({ successes, total: 4 }).low);
  expect(low).toEqual([...low].sort((a, b) => a - b));
});
