import { expect, test } from '@playwright/test';
import { createCompaction } from '../../../src/agent/compaction.ts';
import { contextView } from '../../../src/agent/view.ts';
import { textOf } from '../../../src/core/messages.ts';
import { type ScriptedModel, scripted } from '../../../src/models/scripted.ts';
import { newLog } from './harness.ts';

const setup = ({ everySteps = 3, atTokens = 0, compaction = ['SUMMARY'] as (string | Error)[] } = {}) => {
  const log = newLog();
  log.append({ type: 'message', step: 0, message: { role: 'system', content: 'system', extra: {} } });
  log.append({ type: 'message', step: 0, message: { role: 'user', content: 'task', extra: {} } });
  const model: ScriptedModel = scripted({ compaction });
  const compact = createCompaction({
    everySteps,
    atTokens,
    prompt: 'summarise',
    reread: step => `logs/step_${step}.log`,
    plan: async () => '# Plan\n- CP1',
  });
  let step = 0;
  const turn = async (inputTokens = 10) => {
    step += 1;
    log.append({ type: 'message', step, message: { role: 'assistant', content: `turn ${step}`, extra: {} } });
    log.append({ type: 'action-started', step, code: `do ${step}\nmore` });
    log.append({ type: 'message', step, message: { role: 'user', content: `result ${step}`, extra: { observation: {} } } });
    await compact({
      step,
      inputTokens,
      model,
      log,
      view: () => contextView(log.events, { keepLastObservations: 0 }),
      signal: new AbortController().signal,
    });
  };
  return { log, model, turn, view: () => contextView(log.events, { keepLastObservations: 0 }).map(textOf) };
};

test('by turns: system and task stay, a summary with plan and step list replaces the middle, the newest turns stay', async () => {
  const { turn, view, model } = setup();
  await turn();
  await turn();
  await turn();
  expect(model.requests.map(({ role, key, schema }) => [role, key, schema])).toEqual([['compaction', 'compaction-3', undefined]]);
  const [system, task, summary, ...rest] = view();
  expect([system, task]).toEqual(['system', 'task']);
  expect(summary).toContain('SUMMARY');
  expect(summary).toContain('# Plan\n- CP1');
  expect(summary).toContain('- step 1: do 1 (again: logs/step_1.log)');
  expect(rest).toEqual(['turn 2', 'result 2', 'turn 3', 'result 3']);
});

test('each threshold fires once: counted from the last compaction', async () => {
  const { turn, model } = setup({ compaction: ['ONE', 'TWO'] });
  for (let n = 0; n < 8; n += 1) await turn();
  expect(model.requests.map(({ key }) => key)).toEqual(['compaction-3', 'compaction-6']);
});

test('by size: once, and again only after a request below the threshold', async () => {
  const { turn, model } = setup({ everySteps: 0, atTokens: 1_000, compaction: ['ONE', 'TWO'] });
  for (const tokens of [10, 10, 10, 1_200, 1_300, 1_400, 400, 1_100]) await turn(tokens);
  expect(model.requests.map(({ key }) => key)).toEqual(['compaction-4', 'compaction-8']);
});

test('a summary that fails, is empty or was cut off is noted, and the conversation stays', async () => {
  for (const bad of [new Error('503'), '  ', { text: 'half', finishReason: 'length' } as never]) {
    const { turn, log, view } = setup({ compaction: [bad] });
    for (let n = 0; n < 3; n += 1) await turn();
    expect(view()).toContain('result 1');
    expect(log.events.at(-1)).toMatchObject({ type: 'note', text: expect.stringContaining('compaction failed') });
  }
});

test('a snapshot that a kept turn refers to is not cut', async () => {
  const { log, view, model } = setup({ everySteps: 5 });
  const compact = createCompaction({ everySteps: 5, atTokens: 0, prompt: 's', reread: String, plan: async () => null });
  for (let step = 1; step <= 5; step += 1) {
    log.append({ type: 'message', step, message: { role: 'assistant', content: `turn ${step}`, extra: {} } });
    log.append({
      type: 'message',
      step,
      message: { role: 'user', content: `result ${step}`, extra: { observation: {}, ...(step === 5 ? { base_step: 2 } : {}) } },
    });
  }
  await compact({ step: 5, inputTokens: 0, model, log, view: () => [], signal: new AbortController().signal });
  expect(view()).toContain('result 2');
  expect(view()).not.toContain('result 1');
});
