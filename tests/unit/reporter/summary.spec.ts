import { expect, test } from '@playwright/test';
import { groupsOf, summaryOf } from '../../../src/reporter/summary.ts';
import { entry } from './attempt.ts';

test('everything planned is in the denominator, and the second rate leaves out what says nothing about the agent', () => {
  const { rate, rateWithoutExcluded, outcomes } = summaryOf([
    entry({ taskId: 'a' }),
    entry({ taskId: 'b', outcome: 'invalid' }),
    entry({ taskId: 'c', outcome: 'errored', excluded: 'endpoint unreachable' }),
    entry({ taskId: 'd', outcome: 'errored' }),
  ]);
  expect(rate).toMatchObject({ passed: 1, planned: 4, share: 0.25 });
  expect(rateWithoutExcluded).toMatchObject({ passed: 1, planned: 3 });
  expect(outcomes).toEqual({ passed: 1, invalid: 1, errored: 2 });
});

test('without exclusions there is no second rate', () => {
  expect(summaryOf([entry()]).rateWithoutExcluded).toBeNull();
});

test('replayed and scripted attempts never share a rate with live ones', () => {
  const groups = groupsOf([
    entry({ source: 'scripted' }),
    entry({ source: 'replayed' }),
    entry({ outcome: 'failed' }),
    entry({ source: 'replayed' }),
  ]);
  expect(groups.map(({ source, summary }) => [source, summary.rate.passed, summary.rate.planned])).toEqual([
    ['live', 0, 1],
    ['replayed', 2, 2],
    ['scripted', 1, 1],
  ]);
});

test('repeats of one task are not more tasks: ten repeats leave the interval of one', () => {
  const once = summaryOf([entry()]).rate;
  const repeated = summaryOf(Array.from({ length: 10 }, (_, repeat) => entry({ repeat }))).rate;
  expect(repeated.planned).toBe(10);
  expect(repeated.interval).toEqual(once.interval);
});

test('an unknown price is counted apart and never as nothing', () => {
  expect(summaryOf([entry(), entry({ costUsd: null })])).toMatchObject({ costUsd: 0.01, unpriced: 1, tokens: 2468 });
});
