import { expect, test } from '@playwright/test';
import type { Gate } from '../../../src/agent/gate.ts';
import { textOf } from '../../../src/core/messages.ts';
import { scripted } from '../../../src/models/scripted.ts';
import type { EventLog } from '../../../src/record/event-log.ts';
import { fakeEnvironment, newLoop, openGate } from './harness.ts';

const act = (bash_command: string, thought = '') => ({ thought, bash_command });
const done = (final_response: string) => ({ done: true, final_response });
const interrupts = (log: EventLog) =>
  log.events.flatMap(event =>
    event.type === 'message' && event.message.extra['interrupt_type'] ? [event.message.extra['interrupt_type']] : [],
  );

test('the loop acts, then submits; every turn is in the record', async () => {
  const { environment, executed } = fakeEnvironment();
  const { loop, log, turns } = newLoop({ model: scripted([act('ls'), done('42')]), environment });
  expect(await loop.run()).toMatchObject({ exit_status: 'Submitted', submission: '42', final_response: '42' });
  expect(executed).toEqual(['ls']);
  expect(turns).toEqual([1, 2]);
  expect(log.events.filter(event => event.type === 'message').map(event => [event.step, event.message.role])).toEqual([
    [0, 'system'],
    [0, 'user'],
    [1, 'assistant'],
    [1, 'user'],
    [2, 'assistant'],
    [2, 'exit'],
  ]);
});

test('the model sees its own code: the whole turn goes back as JSON', async () => {
  const model = scripted([act('ls -l', 'look'), done('x')]);
  await newLoop({ model }).loop.run();
  expect(JSON.parse(textOf(model.requests[1]!.messages[2]!))).toEqual({
    thought: 'look',
    bash_command: 'ls -l',
    done: false,
    final_response: '',
  });
});

test('a done beside an action is dropped and the action runs', async () => {
  const { environment, executed } = fakeEnvironment();
  const { loop } = newLoop({ model: scripted([{ ...act('ls'), ...done('early') }, done('late')]), environment });
  expect(await loop.run()).toMatchObject({ exit_status: 'Submitted', final_response: 'late' });
  expect(executed).toEqual(['ls']);
});

test('neither action nor done: a nudge, and three in a row end the attempt', async () => {
  const { loop, log } = newLoop({ model: scripted([{}, {}, act('ls'), {}, {}, {}]) });
  expect(await loop.run()).toMatchObject({ exit_status: 'LimitsExceeded', limit: 'stalled' });
  expect(interrupts(log)).toEqual(['NoAction', 'NoAction', 'NoAction', 'NoAction']);
  expect(loop.step).toBe(6);
});

test('a malformed reply is repaired inside its turn, with the bad reply and the error shown', async () => {
  const model = scripted(['I will do it', 'still prose', act('ls'), done('x')]);
  const { loop, log } = newLoop({ model });
  expect(await loop.run()).toMatchObject({ exit_status: 'Submitted' });
  expect(loop.step).toBe(2);
  expect(model.requests.map(request => request.key)).toEqual(['step-1', 'step-1/repair-1', 'step-1/repair-2', 'step-2']);
  expect(model.requests[1]!.messages.slice(2).map(textOf)).toEqual([
    'I will do it',
    expect.stringContaining('format error: There is no JSON object'),
  ]);
  expect(interrupts(log)).toEqual([]);
});

test('code with a syntax error is refused before it runs', async () => {
  const { environment, executed } = fakeEnvironment({ syntax: code => (code.includes('((') ? 'unexpected (' : null) });
  const { loop } = newLoop({ model: scripted([act('(('), act('ls'), done('x')]), environment });
  await loop.run();
  expect(executed).toEqual(['ls']);
});

test('six turns in a row without a usable reply end the attempt; a good one starts the count again', async () => {
  const bad = Array.from({ length: 4 }, () => 'prose');
  const model = scripted([...Array.from({ length: 5 }, () => bad).flat(), act('ls'), ...Array.from({ length: 6 }, () => bad).flat()]);
  const { loop, log } = newLoop({ model });
  expect(await loop.run()).toMatchObject({ exit_status: 'LimitsExceeded', limit: 'format_errors' });
  expect(loop.step).toBe(12);
  expect(interrupts(log).filter(type => type === 'FormatError')).toHaveLength(11);
});

test('the last turn only allows finishing', async () => {
  const { environment, executed } = fakeEnvironment();
  const model = scripted([act('one'), act('two'), act('three')]);
  const { loop, log } = newLoop({ model, environment, limits: { steps: 3 } });
  expect(await loop.run()).toMatchObject({ exit_status: 'LimitsExceeded', limit: 'steps' });
  expect(executed).toEqual(['one', 'two']);
  expect(textOf(model.requests[2]!.messages.at(-1)!)).toContain('last turn');
  expect(interrupts(log)).toEqual(['LastTurn']);
});

test('an answer in the last turn passes once through the gate: passed is submitted, refused keeps the answer', async () => {
  const run = async (gate: Gate) => newLoop({ model: scripted([act('ls'), done('best guess')]), gate, limits: { steps: 2 } }).loop.run();
  expect(await run(openGate)).toMatchObject({ exit_status: 'Submitted', submission: 'best guess' });
  expect(await run(async () => ({ passed: false, message: 'no', verdict: null }))).toMatchObject({
    exit_status: 'LimitsExceeded',
    submission: '',
    final_response: 'best guess',
  });
  expect(await run(async () => ({ passed: true, verdict: null }))).toMatchObject({
    exit_status: 'LimitsExceeded',
    final_response: 'best guess',
  });
});

test('a warning comes once, at 75 % of a limit', async () => {
  const model = scripted([act('1'), act('2'), act('3'), act('4'), done('x')]);
  const { loop, log } = newLoop({ model, limits: { steps: 8 }, spent: () => ({ tokens: 0, costUsd: 0, timeMs: 48_000 }) });
  await loop.run();
  expect(interrupts(log)).toEqual(['LimitWarning']);
});

for (const [limit, spent] of [
  ['time', { tokens: 0, costUsd: 0, timeMs: 60_000 }],
  ['tokens', { tokens: 500, costUsd: 0, timeMs: 0 }],
  ['cost', { tokens: 0, costUsd: 2, timeMs: 0 }],
] as const) {
  test(`the ${limit} limit ends the attempt before the next model call`, async () => {
    const model = scripted([act('ls')]);
    const { loop } = newLoop({ model, limits: { tokens: 500, costUsd: 1.5 }, spent: () => spent });
    expect(await loop.run()).toMatchObject({ exit_status: 'LimitsExceeded', limit });
    expect(model.requests).toHaveLength(0);
  });
}

test('the same action with the same observation: a nudge after three, the end after four', async () => {
  const { loop, log } = newLoop({ model: scripted([act('ls'), act('ls'), act('ls'), act('ls'), act('ls')]) });
  expect(await loop.run()).toMatchObject({ exit_status: 'LimitsExceeded', limit: 'loop' });
  expect(interrupts(log)).toEqual(['RepeatedAction']);
  expect(loop.step).toBe(4);
});

test('the same action is no loop while the observation changes', async () => {
  let page = 0;
  const { environment } = fakeEnvironment({ observe: () => `page ${String.fromCharCode(97 + page++)}` });
  const { loop } = newLoop({ model: scripted([act('next'), act('next'), act('next'), act('next'), act('next'), done('x')]), environment });
  expect(await loop.run()).toMatchObject({ exit_status: 'Submitted' });
});

test('a refusal of the gate is shown and the loop goes on', async () => {
  let asked = 0;
  const gate: Gate = async options => (++asked === 1 ? { passed: false, message: 'CP2 is not shown', verdict: null } : openGate(options));
  const model = scripted([done('a'), act('ls'), done('b')]);
  const { loop, log } = newLoop({ model, gate });
  expect(await loop.run()).toMatchObject({ exit_status: 'Submitted', submission: 'b' });
  expect(interrupts(log)).toEqual(['SelfReflectionGate']);
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toBe('CP2 is not shown');
});

test('Blocked: ends GaveUp past the gate, never Submitted; an empty obstacle does not', async () => {
  const gate: Gate = async () => ({ passed: false, message: 'refused', verdict: null });
  const { loop } = newLoop({ model: scripted([done('Blocked:  '), done('Blocked: the shop asks for a login (steps 3, 4)')]), gate });
  expect(await loop.run()).toMatchObject({ exit_status: 'GaveUp', submission: '', detail: expect.stringContaining('login') });
});

test('an aborted attempt makes no further model call', async () => {
  const abort = new AbortController();
  const { environment } = fakeEnvironment({
    observe: () => {
      abort.abort(new Error('the test is over'));
      return 'late';
    },
  });
  const model = scripted([act('ls'), act('never')]);
  const { loop, turns } = newLoop({ model, environment, signal: abort.signal });
  await expect(loop.run()).rejects.toThrow('the test is over');
  expect(model.requests).toHaveLength(1);
  expect(turns).toEqual([1, 2]);
});
