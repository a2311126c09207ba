import { expect, test } from '@playwright/test';
import { contextView } from '../../../src/agent/view.ts';
import type { Event } from '../../../src/core/events.ts';
import { type Message, textOf } from '../../../src/core/messages.ts';

const event = (seq: number, step: number, message: Message): Event => ({ seq, time: '', type: 'message', step, message });
const system: Message = { role: 'system', content: 'system', extra: {} };
const observed = (step: number, extra = {}): Message => ({
  role: 'user',
  content: `result ${step}\n<snapshot of step ${step}>`,
  extra: { observation: { success: true }, prunable: [`<snapshot of step ${step}>`], ...extra },
});
const log = (count: number): Event[] => [
  event(0, 0, system),
  ...Array.from({ length: count }, (_, i) => [
    event(1 + 2 * i, i + 1, { role: 'assistant', content: `turn ${i + 1}`, extra: {} }),
    event(2 + 2 * i, i + 1, observed(i + 1)),
  ]).flat(),
];
const full = (messages: Message[]) => messages.map(textOf).filter(text => text.includes('<snapshot'));

test('with 0 every observation is kept', () => {
  expect(full(contextView(log(9), { keepLastObservations: 0 }))).toHaveLength(9);
});

test('pruning moves in batches: the prefix stays byte-equal between two moves', () => {
  const view = (count: number) => contextView(log(count), { keepLastObservations: 3 });
  expect([3, 4, 5, 6, 7, 8, 9].map(count => full(view(count)).length)).toEqual([3, 4, 5, 3, 4, 5, 3]);
  expect(view(8).slice(0, view(7).length)).toEqual(view(7));
  expect(textOf(view(6)[2]!)).toBe('result 1\n[left out: 20 characters of step 1]');
});

test('the newest observation is always whole', () => {
  for (let count = 1; count < 20; count += 1) {
    expect(textOf(contextView(log(count), { keepLastObservations: 1 }).at(-1)!)).toContain(`<snapshot of step ${count}>`);
  }
});

test('a full snapshot that a kept delta refers to stays', () => {
  const events = log(6).map(each =>
    each.type === 'message' && each.step === 5 && each.message.role === 'user' ? { ...each, message: observed(5, { base_step: 2 }) } : each,
  );
  const texts = full(contextView(events, { keepLastObservations: 3 }));
  expect(texts.join()).toContain('<snapshot of step 2>');
  expect(texts.join()).not.toContain('<snapshot of step 1>');
});

test('only the newest screenshot is sent', () => {
  const image = { type: 'image', path: '/x.png', mediaType: 'image/png', sha256: 'a' } as const;
  const shot = (step: number): Message => ({
    role: 'user',
    content: [{ type: 'text', text: `step ${step}` }, image],
    extra: { observation: {} },
  });
  const [, first, second] = contextView([event(0, 0, system), event(1, 1, shot(1)), event(2, 2, shot(2))], { keepLastObservations: 0 });
  expect(textOf(first!)).toContain('[screenshot of step 1 left out]');
  expect(second!.content).toContainEqual(image);
});

test('an unchanged screenshot stays where it was sent', () => {
  const image = { type: 'image', path: '/x.png', mediaType: 'image/png', sha256: 'a' } as const;
  const shot: Message = { role: 'user', content: [{ type: 'text', text: 'step 1' }, image], extra: { observation: {} } };
  const view = contextView([event(0, 0, system), event(1, 1, shot), event(2, 2, observed(2))], { keepLastObservations: 0 });
  expect(view[1]!.content).toContainEqual(image);
});

test('reminders of task and plan stand last and nowhere else', () => {
  const task = event(1, 0, { role: 'user', content: 'the task', extra: {} });
  const plan: Event = { seq: 90, time: '', type: 'plan-noted', step: 1, text: '- [ ] CP1' };
  const events = [event(0, 0, system), task, ...log(2).slice(1), plan];
  const texts = contextView(events, { keepLastObservations: 0, attachPlan: true, attachTask: true }).map(textOf);
  expect(texts.slice(-2)).toEqual(['the task', 'Your plan.md as it stands:\n- [ ] CP1']);
  expect(texts.slice(0, -2)).toEqual(contextView(events, { keepLastObservations: 0 }).map(textOf));
});

test('after compaction: head, summary, and what came since', () => {
  const events: Event[] = [
    ...log(4),
    { seq: 9, time: '', type: 'history-compacted', step: 4, summary: 'so far: three pages read', upToSeq: 6 },
  ];
  expect(contextView(events, { keepLastObservations: 0 }).map(textOf)).toEqual([
    'system',
    'so far: three pages read',
    'turn 4',
    'result 4\n<snapshot of step 4>',
  ]);
});
