import { PassThrough } from 'node:stream';
import { type BrowserContext, expect, type TestInfo, test } from '@playwright/test';
import { withClockStopped } from '../../../fixtures/browser-modes/clock.ts';
import { personFor } from '../../../fixtures/person.ts';
import { pressEnter } from '../../../fixtures/press-enter.ts';
import type { BrowserMode } from '../../../src/environments/browser/modes.ts';
import { openEnterDesk } from '../../../src/reporter/enter-desk.ts';

const none = { wait_for_person: null, keep_open_on_exit: false, prompt_before_close: false, person_timeout_seconds: 5 };
const enter = { WEBWRIGHT_ENTER: '/run/enter.sock' };

const cases: [string, Partial<typeof none> | { wait_for_person: string }, BrowserMode, boolean, Record<string, string>, string | null][] = [
  ['nothing asked', {}, 'runner', false, {}, null],
  ['url, headless', { wait_for_person: 'url:**/a' }, 'runner', false, enter, '--headed'],
  ['url, headed', { wait_for_person: 'url:**/a' }, 'runner', true, {}, null],
  ['url, attached', { wait_for_person: 'url:**/a' }, 'local_cdp', false, {}, null],
  ['enter, no reporter', { wait_for_person: 'enter' }, 'local_cdp', false, {}, 'webwright run'],
  ['enter', { wait_for_person: 'enter' }, 'local_cdp', false, enter, null],
  ['keep open in a test', { keep_open_on_exit: true }, 'runner', true, enter, 'webwright run --headed'],
  ['keep open in the command', { keep_open_on_exit: true }, 'runner', true, { WEBWRIGHT_COMMAND: 'run' }, null],
  ['keep open without a window', { keep_open_on_exit: true }, 'local_persistent', false, {}, '--headed'],
  ['keep open, attached', { keep_open_on_exit: true }, 'local_cdp', false, {}, null],
  ['keep open, cloud', { keep_open_on_exit: true }, 'browserbase', false, {}, 'local_cdp and browserMode local_persistent'],
  ['prompt in a test', { prompt_before_close: true }, 'local_launch', true, enter, 'webwright run --headed'],
  ['prompt, no reporter', { prompt_before_close: true }, 'local_persistent', true, {}, 'benchmark reporter'],
  ['prompt', { prompt_before_close: true }, 'local_persistent', true, enter, null],
];

for (const [title, config, browserMode, headed, env, refusal] of cases) {
  test(`a person is asked only where there is one: ${title}`, () => {
    const make = () =>
      personFor({ config: { ...none, ...config }, browserMode, headed, context: {} as BrowserContext, testInfo: {} as TestInfo, env });
    if (refusal === null) expect(make).not.toThrow();
    else expect(make).toThrow(refusal);
  });
}

test('the clock of a test does not run while a person works, also when they fail', async () => {
  const set: number[] = [];
  const testInfo = { timeout: 30_000, setTimeout: (ms: number) => void set.push(ms) };
  await expect(withClockStopped({ testInfo, limitMs: 600_000, action: () => Promise.reject(new Error('late')) })).rejects.toThrow('late');
  expect(set[0]).toBe(635_000);
  expect(set[1]).toBeGreaterThanOrEqual(30_000);
  expect(set[1]).toBeLessThan(600_000);
});

test('Enter reaches who waits for it, one press each; without a terminal that is said', async () => {
  const input = new PassThrough();
  const printed: string[] = [];
  const desk = openEnterDesk({ input, print: text => printed.push(text) });
  const ask = (text: string) => pressEnter({ address: desk.address, text, timeoutMs: 10_000 });
  const first = ask('log in \u001b[31mnow');
  await expect.poll(() => printed).toEqual(['webwright: log in now Press Enter to go on.']);
  input.write('\n');
  await first;
  const second = ask('again').catch((error: Error) => error.message);
  await expect.poll(() => printed.length).toBe(2);
  input.end();
  expect(await second).toContain('the run has no terminal');
  await expect(ask('and again')).rejects.toThrow('the run has no terminal');
  desk.close();
  await expect(ask('too late')).rejects.toThrow('Nobody pressed Enter');
});
