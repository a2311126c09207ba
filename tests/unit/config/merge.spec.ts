import { expect, test } from '@playwright/test';
import { mergeTrees, type Tree, UNSET } from '../../../src/config/merge.ts';

test('objects merge, lists and scalars are replaced, null is a value, UNSET and undefined are not', () => {
  const lower = { a: { x: 1, y: [1, 2], z: { deep: true } }, b: 'kept', c: 1, d: 2 };
  const upper = { a: { y: [3], z: null }, c: UNSET, d: undefined };
  expect(mergeTrees({ lower, upper })).toEqual({ a: { x: 1, y: [3], z: null }, b: 'kept', c: 1, d: 2 });
});

test('a tree over a scalar and a scalar over a tree replace', () => {
  expect(mergeTrees({ lower: { a: 1 }, upper: { a: { b: 2 } } })).toEqual({ a: { b: 2 } });
  expect(mergeTrees({ lower: { a: { b: 2 } }, upper: { a: 1 } })).toEqual({ a: 1 });
});

test('the layers themselves stay as they were', () => {
  const lower = { a: { x: 1 } };
  mergeTrees({ lower, upper: { a: { x: 2 } } });
  expect(lower).toEqual({ a: { x: 1 } });
});

test('prototype keys are refused and change nothing', () => {
  const upper = JSON.parse('{"__proto__": {"polluted": true}}') as Tree;
  expect(() => mergeTrees({ lower: {}, upper })).toThrow(/__proto__/);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});
