import { expect, test } from '@playwright/test';
import { recordMode } from '../../../src/models/recorded-mode.ts';

test('the variable wins, -u records, nothing says nothing', () => {
  expect(recordMode({ env: {} })).toBeNull();
  expect(recordMode({ env: {}, updateSnapshots: 'missing' })).toBeNull();
  expect(recordMode({ env: {}, updateSnapshots: 'none' })).toBeNull();
  expect(recordMode({ env: {}, updateSnapshots: 'all' })).toBe('record');
  expect(recordMode({ env: {}, updateSnapshots: 'changed' })).toBe('record');
  expect(recordMode({ env: { WEBWRIGHT_RECORD: 'off' }, updateSnapshots: 'all' })).toBe('off');
  for (const mode of ['off', 'replay', 'record', 'auto'] as const) expect(recordMode({ env: { WEBWRIGHT_RECORD: mode } })).toBe(mode);
});

test('an unknown mode is an error that lists the known ones', () => {
  expect(() => recordMode({ env: { WEBWRIGHT_RECORD: 'yes' } })).toThrow(/seen: yes\n.*off\|replay\|record\|auto/);
});
