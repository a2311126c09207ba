import { expect, test } from '@playwright/test';
import { fromChildSchema } from '../../../src/environments/live/protocol.ts';

test('A7 what the child says is checked for shape and size', () => {
  const ok = (message: unknown) => fromChildSchema.safeParse(message).success;
  expect(ok({ type: 'done', id: 'x', value: '1' })).toBe(true);
  expect(ok({ type: 'done', id: 'x', verdict: 1 })).toBe(false);
  expect(ok({ ok: true, predicted_label: 1 })).toBe(false);
  expect(ok({ type: 'done', id: 'x', value: 'x'.repeat(300_000) })).toBe(false);
  expect(ok({ type: 'verdict', predicted_label: 1 })).toBe(false);
});
