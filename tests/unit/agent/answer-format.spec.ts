import { expect, test } from '@playwright/test';
import { z } from 'zod';
import { answerFormat } from '../../../src/agent/answer-format.ts';
import { textOf } from '../../../src/core/messages.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { newLoop } from './harness.ts';

const format = answerFormat(z.object({ name: z.string(), price: z.number() }));

test('an answer of the right form is data', async () => {
  expect(await format.read(' {"name":"Skerry","price":29.9}\n')).toEqual({ ok: true, data: { name: 'Skerry', price: 29.9 } });
  expect(format.instruction).toContain('"price"');
});

test('what is wrong is said by field', async () => {
  expect(await format.read('{"name":"Skerry","price":"29.90"}')).toEqual({ ok: false, error: expect.stringContaining('- price: ') });
  expect(await format.read('£29.90')).toEqual({ ok: false, error: expect.stringContaining('not JSON') });
});

test('a schema of another library is validated too, only not shown', async () => {
  const even = {
    '~standard': {
      version: 1,
      vendor: 'mine',
      validate: (value: unknown) => (Number(value) % 2 === 0 ? { value } : { issues: [{ message: 'odd' }] }),
    },
  } as const;
  const other = answerFormat(even);
  expect(await other.read('4')).toEqual({ ok: true, data: 4 });
  expect(await other.read('3')).toEqual({ ok: false, error: expect.stringContaining('- the value: odd') });
  expect(other.instruction).toContain('the harness validates it');
});

test('the errors go back to the agent, which corrects its answer', async () => {
  const model = scripted([
    { done: true, final_response: 'about 30' },
    { done: true, final_response: '{"name":"Skerry","price":29.9}' },
  ]);
  const { loop } = newLoop({ model, answer: format });
  expect(await loop.run()).toMatchObject({ exit_status: 'Submitted', submission: '{"name":"Skerry","price":29.9}' });
  expect(textOf(model.requests[1]!.messages.at(-1)!)).toContain('final_response is not JSON');
});
