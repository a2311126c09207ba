import { expect, test } from '@playwright/test';
import { refuseAriaTrace } from '../../../fixtures/refuse-trace.ts';

test('a trace with ARIA snapshots is refused with a reason, every other is not', () => {
  for (const trace of [
    'on',
    'off',
    { mode: 'on' },
    { mode: 'on', snapshots: true },
    { mode: 'on', snapshots: { dom: true, aria: false } },
  ] as const)
    refuseAriaTrace(trace);
  expect(() => refuseAriaTrace({ mode: 'on', snapshots: { aria: true } })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', seen: 'trace.snapshots.aria: true', what: expect.stringContaining('voids refs') }),
  );
});
