import { expect, test } from '@playwright/test';
import { describeError, describeValue } from '../../../src/environments/live/runner/describe.ts';

test('A8 any value becomes bounded text', () => {
  const cycle: Record<string, unknown> = { a: 1 };
  cycle['self'] = cycle;
  expect(describeValue(undefined)).toBeUndefined();
  expect(describeValue('plain\nlines')).toBe('plain\nlines');
  expect(describeValue([1n, () => 1, null])).toBe('[ 1n, [Function (anonymous)], null ]');
  expect(describeValue(cycle)).toContain('[Circular *1]');
  expect(describeValue('x'.repeat(50_000_000))).toHaveLength(describeValue('y'.repeat(50_000_000))?.length ?? 0);
  expect(describeValue('x'.repeat(50_000))).toMatch(/more characters cut …$/);
  expect(describeValue('x'.repeat(50_000))?.length).toBeLessThanOrEqual(4_000);
  expect(describeValue(Array.from({ length: 1e5 }, (_, i) => ({ i })))?.length).toBeLessThanOrEqual(4_000);
  expect(
    describeValue({
      get trap() {
        throw new Error('no');
      },
    }),
  ).toContain('[Getter]');
  expect(
    describeValue(
      new Proxy(
        {},
        {
          get() {
            throw new Error('no');
          },
          has() {
            throw new Error('no');
          },
        },
      ),
    ),
  ).toContain('cannot be printed');
  expect(describeValue('\ud800')).toBe('\ufffd');
});

test('whatever is thrown is described', () => {
  const at = { file: 'step-1.ts', source: [] };
  expect(describeError({ error: 'text', ...at })).toBe('Thrown: text');
  expect(describeError({ error: undefined, ...at })).toBe('Thrown: undefined');
  expect(describeError({ error: new Error('a', { cause: 'b' }), ...at })).toBe('Error: a\n  cause: b');
});

test("of Playwright's call log the last five lines stay", () => {
  const error = new Error(`locator.click: Timeout\nCall log:\n${Array.from({ length: 9 }, (_, i) => `  - ${i}`).join('\n')}\n`);
  expect(describeError({ error, file: 'step-1.ts', source: [] })).toBe(
    'Error: locator.click: Timeout\nCall log:\n  …\n  - 4\n  - 5\n  - 6\n  - 7\n  - 8',
  );
});
