import { expect, test } from '@playwright/test';
import { didYouMean } from '../../../src/config/did-you-mean.ts';

for (const { typed, candidates, found } of [
  { typed: 'step_limt', candidates: ['step_limit', 'time_limit_seconds'], found: 'step_limit' },
  { typed: 'setp_limit', candidates: ['step_limit', 'seed'], found: 'step_limit' },
  { typed: 'STEP_LIMIT', candidates: ['step_limit'], found: 'step_limit' },
  { typed: 'rnu', candidates: ['run', 'doctor'], found: 'run' },
  { typed: 'kettle', candidates: ['step_limit', 'seed'], found: undefined },
  { typed: 'xy', candidates: ['ab'], found: undefined },
  { typed: 'anything', candidates: [], found: undefined },
]) {
  test(`${typed} → ${found ?? 'nothing'}`, () => {
    expect(didYouMean(typed, candidates)).toBe(found);
  });
}
