import { expect, test } from '@playwright/test';
import { exitOfError } from '../../../src/agent/exit-of-error.ts';
import { EnvironmentFault } from '../../../src/core/environment.ts';
import { ModelCallError, WebwrightError } from '../../../src/core/errors.ts';
import { BudgetError } from '../../../src/models/budget.ts';

const budget = (limit: 'usd' | 'tokens' | 'minutes', scope: 'attempt' | 'suite' = 'attempt') =>
  new BudgetError({ scope, limit, seen: 'used' });
const model = (failure: ModelCallError['failure']) => new ModelCallError({ failure, what: 'it failed' });
const setUp = (code: 'START_URL' | 'BROWSER' | 'SANDBOX' | 'PLATFORM') => new WebwrightError({ code, what: 'it failed' });

for (const [name, error, exit] of [
  ['a lost environment', new EnvironmentFault('the browser is gone'), { exit_status: 'EnvironmentError', detail: 'the browser is gone' }],
  ['a start page that refuses', setUp('START_URL'), { exit_status: 'EnvironmentError' }],
  ['a browser that does not start', setUp('BROWSER'), { exit_status: 'EnvironmentError' }],
  ['a sandbox below what is required', setUp('SANDBOX'), { exit_status: 'EnvironmentError' }],
  ['an unreachable endpoint', model('unreachable'), { exit_status: 'ModelError', unreachable: true }],
  ['a rate limit that outlasts the deadline', model('rate-limit'), { exit_status: 'ModelError', unreachable: true }],
  ['a refused key', model('auth'), { exit_status: 'ModelError', unreachable: false }],
  ['a recording without the call', model('recording'), { exit_status: 'ModelError', unreachable: false }],
  ['money used up', budget('usd'), { exit_status: 'LimitsExceeded', limit: 'cost' }],
  ['tokens used up', budget('tokens'), { exit_status: 'LimitsExceeded', limit: 'tokens' }],
  ['minutes used up', budget('minutes'), { exit_status: 'LimitsExceeded', limit: 'time' }],
  ["the suite's budget used up", budget('usd', 'suite'), { exit_status: 'LimitsExceeded', skipped: 'budget' }],
  ['a bug of ours', new TypeError('x is not a function'), { exit_status: 'Interrupted', detail: 'x is not a function' }],
  ['something thrown that is no error', 'text', { exit_status: 'Interrupted', detail: 'text' }],
] as const) {
  test(`${name}: ${exit.exit_status}, and nothing submitted`, () => {
    expect(exitOfError({ error, timedOut: false, aborted: false })).toMatchObject({ submission: '', ...exit });
  });
}

test('a wall clock that ran out is the time limit, whatever was thrown on the way', () => {
  expect(exitOfError({ error: model('aborted'), timedOut: true, aborted: false })).toMatchObject({
    exit_status: 'LimitsExceeded',
    limit: 'time',
  });
});

test('a host that tears down interrupts', () => {
  expect(exitOfError({ error: model('aborted'), timedOut: false, aborted: true })).toMatchObject({ exit_status: 'Interrupted' });
});
