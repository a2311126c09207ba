import { expect, test } from '@playwright/test';
import { expect as expectModel } from '../../../fixtures/testing/matchers.ts';
import type { Message } from '../../../src/core/messages.ts';
import type { ModelRequest } from '../../../src/core/model.ts';
import { chaos, type Fault } from '../../../src/models/chaos.ts';
import { reactive } from '../../../src/models/reactive.ts';
import { scripted } from '../../../src/models/scripted.ts';

const user = (content: Message['content']): Message => ({ role: 'user', content, extra: {} });
const ask = (text: string, fields: Partial<ModelRequest> = {}): ModelRequest => ({
  role: 'agent',
  key: 'step-1',
  messages: [user(text)],
  signal: new AbortController().signal,
  ...fields,
});
const image = { type: 'image', path: '/x.png', mediaType: 'image/png', sha256: 'aa' } as const;

test.describe('reactive', () => {
  test('the first reaction that matches the last user message answers', async () => {
    const model = reactive({
      agent: [
        { when: 'cookies', answer: 'accept', times: 1 },
        { when: /cart \((\d)\)/i, answer: text => `saw ${text.length}` },
        { when: text => text.endsWith('!'), answer: 'loud' },
      ],
      coach: ['Status: success'],
    });
    const answers = [];
    for (const text of ['cookies', 'cookies, Cart (1)', 'hey!']) answers.push((await model.complete(ask(text))).text);
    expect(answers).toEqual(['accept', 'saw 17', 'loud']);
    expect((await model.complete(ask('', { role: 'coach' }))).text).toBe('Status: success');
    expect(model.requests).toHaveLength(4);
  });

  test('an observation nothing matches is shown', async () => {
    await expect(reactive({ agent: [] }).complete(ask('a 404 page'))).rejects.toThrow(/No reaction matches.*\n.*a 404 page/);
  });
});

test.describe('chaos', () => {
  const replies: [Fault, Record<string, unknown>][] = [
    ['cut-json', { finishReason: 'stop', text: expect.stringMatching(/^\{[^}]*$/) }],
    ['cut-length', { finishReason: 'length' }],
    ['wrong-schema', { finishReason: 'stop', text: expect.not.stringContaining('thought') }],
    ['refusal', { finishReason: 'refusal' }],
    ['content-filter', { finishReason: 'content_filter' }],
    ['empty', { text: '' }],
  ];
  for (const [fault, expected] of replies) {
    test(`${fault} takes the place of a call and the script goes on`, async () => {
      const model = chaos({ model: scripted({ agent: ['one', 'two'], coach: ['c'] }), faults: { 2: fault } });
      expect((await model.complete(ask('a'))).text).toBe('one');
      expect((await model.complete(ask('a', { role: 'coach' }))).text).toBe('c');
      expect(await model.complete(ask('b'))).toMatchObject(expected);
      expect((await model.complete(ask('b'))).text).toBe('two');
      expect(model.requests).toHaveLength(3);
    });
  }

  test('429 and a dead endpoint are thrown', async () => {
    const model = chaos({ model: scripted(['x']), faults: { 1: 'rate-limit', 2: 'unreachable' } });
    await expect(model.complete(ask(''))).rejects.toMatchObject({ failure: 'rate-limit', status: 429 });
    await expect(model.complete(ask(''))).rejects.toMatchObject({ failure: 'unreachable' });
    expect((await model.complete(ask(''))).text).toBe('x');
  });

  test('a stall ends only with the signal', async () => {
    const model = chaos({ model: scripted([]), faults: { 1: 'stall', 2: 'stall' } });
    const controller = new AbortController();
    const reply = model.complete(ask('', { signal: controller.signal }));
    controller.abort();
    await expect(reply).rejects.toMatchObject({ failure: 'aborted' });
    await expect(model.complete(ask('', { signal: AbortSignal.abort() }))).rejects.toMatchObject({ failure: 'aborted' });
  });
});

test.describe('matchers', () => {
  test('toHaveSentImage looks at role and key', async () => {
    const model = scripted({ agent: ['a', 'b'] });
    await model.complete(ask('text only'));
    expectModel(model).not.toHaveSentImage();
    await model.complete(ask('', { key: 'step-2', messages: [user([{ type: 'text', text: 'now' }, image])] }));
    expectModel(model).toHaveSentImage({ role: 'agent', key: 'step-2' });
    expectModel(model).not.toHaveSentImage({ key: 'step-1' });
    expect(() => expectModel(model).toHaveSentImage({ role: 'grader' })).toThrow('0 of 2 requests match');
  });

  test('toHaveSentTokensBelow names the largest request, and nothing sent is not below', async () => {
    const model = scripted({ agent: ['a', 'b'] });
    expect(() => expectModel(model).toHaveSentTokensBelow(10)).toThrow('no request was sent');
    await model.complete(ask('x'.repeat(4_000)));
    expectModel(model).toHaveSentTokensBelow(1_100);
    expect(() => expectModel(model).toHaveSentTokensBelow(1_000)).toThrow('agent step-1, has about 1012');
  });
});
