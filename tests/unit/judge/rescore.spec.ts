import { expect, test } from '@playwright/test';
import type { Event } from '../../../src/core/events.ts';
import type { ItemVerdict } from '../../../src/core/verdict.ts';
import { finalResponseOf, historyOf, readEvidence } from '../../../src/judge/recorded-attempt.ts';
import { changesBetween, rescore } from '../../../src/judge/rescore.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { EvidenceStore } from '../../../src/record/evidence.ts';
import { never } from './judging.ts';

const message = (step: number, role: 'assistant' | 'user', content: string) => ({
  type: 'message',
  step,
  message: { role, content, extra: {} },
});
const events = [
  message(1, 'assistant', '{"thought":"filter"}'),
  message(1, 'user', 'the page shows blue kettles'),
  message(2, 'assistant', '{"thought":"read"}'),
  { type: 'attempt-ended', exit: { exit_status: 'Submitted', final_response: 'It costs £24.90.' } },
].map((event, seq) => ({ seq, time: '', ...event })) as Event[];

const item = (fields: Partial<ItemVerdict>): ItemVerdict => ({
  id: 'R1',
  kind: 'rubric',
  requirement: 'r',
  status: 'pass',
  reason: '',
  evidence: [],
  ...fields,
});

test('the record gives history, answer and evidence back', ({}, info) => {
  expect(historyOf(events)).toBe('1. {"thought":"filter"}\n2. {"thought":"read"}');
  expect(finalResponseOf(events)).toBe('It costs £24.90.');
  expect(finalResponseOf(events.slice(0, 3))).toBe('');
  const folder = info.outputPath('evidence');
  const store = new EvidenceStore({ folder });
  store.add({ step: 1, source: 'harness', label: 'step', bytes: Buffer.from('x'), mediaType: 'image/png', url: 'http://shop.localhost/' });
  expect(readEvidence(folder)).toEqual(store.items);
});

test('the rubric is judged again, checks are taken over, what changed is said', async ({}, info) => {
  const folder = info.outputPath('evidence');
  const store = new EvidenceStore({ folder });
  const bytes = Buffer.from('89504e470d0a1a0a00', 'hex');
  store.add({ step: 1, source: 'harness', label: 'tab', bytes, mediaType: 'image/png' });
  const before = {
    model: 'old',
    items: [item({ id: 'C1', kind: 'check', seen: 'x' }), item({ status: 'unasked' }), item({ id: 'R2', status: 'pass' })],
  };
  const { verdict, changes } = await rescore({
    model: scripted({
      grader: ({ key }) => ({ reason: key, status: key === 'item-R1' ? 'pass' : 'fail', evidence: ['e1'], values: [], blocked: false }),
    }),
    task: {
      instruction: 'i',
      rubric: [
        { id: 'R1', requirement: 'r' },
        { id: 'R2', requirement: 'r' },
      ],
      checks: [
        { id: 'C1', kind: 'download' },
        { id: 'C2', kind: 'download' },
      ],
    },
    events,
    evidence: readEvidence(folder),
    before,
    seed: 's',
    signal: never,
    mode: 'robust',
  });
  expect(verdict.items.map(({ id, status }) => `${id} ${status}`)).toEqual(['C1 pass', 'C2 fail', 'R1 pass', 'R2 fail']);
  expect(changes).toEqual([
    { id: 'C2', before: null, after: 'fail' },
    { id: 'R1', before: 'unasked', after: 'pass' },
    { id: 'R2', before: 'pass', after: 'fail' },
  ]);
});

test('an item that disappeared is a change; equal judgements have none', () => {
  expect(changesBetween({ before: [item({})], after: [] })).toEqual([{ id: 'R1', before: 'pass', after: null }]);
  expect(changesBetween({ before: [item({})], after: [item({ reason: 'other words' })] })).toEqual([]);
});
