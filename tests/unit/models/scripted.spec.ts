import { expect, test } from '@playwright/test';
import type { ModelRequest } from '../../../src/core/model.ts';
import { turnSchema } from '../../../src/core/turn.ts';
import { scripted } from '../../../src/models/scripted.ts';

const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
  role: 'agent',
  key: 'step-1',
  messages: [{ role: 'user', content: 'Find the kettle.', extra: {} }],
  schema: turnSchema('playwright_code'),
  signal: new AbortController().signal,
  ...fields,
});

test('objects become JSON in the order given, strings go out as they are', async () => {
  const model = scripted([{ playwright_code: 'await x()' }, 'not JSON', { text: '{', finishReason: 'length' }]);
  const first = await model.complete(request());
  expect(JSON.parse(first.text)).toEqual({ thought: '', playwright_code: 'await x()', done: false, final_response: '' });
  expect(first).toMatchObject({ source: 'scripted', costUsd: 0, attempts: 0, finishReason: 'stop' });
  expect((await model.complete(request())).text).toBe('not JSON');
  expect(await model.complete(request())).toMatchObject({ text: '{', finishReason: 'length' });
});

test('one function answers every agent call and sees the request and its number', async () => {
  const model = scripted((sent, index) => `${sent.key} ${index}`);
  expect((await model.complete(request())).text).toBe('step-1 0');
  expect((await model.complete(request({ key: 'step-2' }))).text).toBe('step-2 1');
});

test('roles have scripts and counts of their own', async () => {
  const model = scripted({ agent: [{ done: true }], coach: [() => 'Status: failure', 'Status: success'] });
  expect((await model.complete(request({ role: 'coach', key: 'look-1' }))).text).toBe('Status: failure');
  expect(JSON.parse((await model.complete(request())).text)).toMatchObject({ done: true });
  expect((await model.complete(request({ role: 'coach', key: 'look-2' }))).text).toBe('Status: success');
  expect(model.requests.map(({ key }) => key)).toEqual(['look-1', 'step-1', 'look-2']);
});

test('nothing is filled in for a judge, and an unscripted role is an error that names it', async () => {
  const model = scripted({ grader: [{ status: 'pass' }] });
  expect((await model.complete(request({ role: 'grader', key: 'item-R1' }))).text).toBe('{"status":"pass"}');
  await expect(model.complete(request({ role: 'critical-points', key: 'points' }))).rejects.toMatchObject({
    failure: 'recording',
    what: 'Nothing is scripted for role "critical-points" (call points)',
  });
});

test('a script that has run out says which call and what it was last told', async () => {
  const model = scripted([{ done: true }]);
  await model.complete(request());
  await expect(model.complete(request({ key: 'step-2' }))).rejects.toThrow(
    /has 1 answers and was asked for number 2 \(call step-2\).*Find the kettle\..*add an answer/s,
  );
});

test('an Error in the script is thrown, an aborted request answers nothing', async () => {
  const model = scripted([new TypeError('terminated'), 'late']);
  await expect(model.complete(request())).rejects.toThrow('terminated');
  await expect(model.complete(request({ signal: AbortSignal.abort() }))).rejects.toMatchObject({ failure: 'aborted' });
  expect((await model.complete(request())).text).toBe('late');
});

test('a request is remembered as it was sent', async () => {
  const model = scripted(['a']);
  const sent = request();
  await model.complete(sent);
  sent.messages.push({ role: 'assistant', content: 'a', extra: {} });
  expect(model.requests[0]!.messages).toHaveLength(1);
});
