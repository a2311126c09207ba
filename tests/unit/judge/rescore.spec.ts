import { expect, test } from '@playwright/test';
import type { Event } from '../../../src/core/events.ts';
import type { ItemVerdict } from '../../../src/core/verdict.ts';
import { downloadsOf, finalResponseOf, historyOf, readEvidence, shortHistoryOf } from '../../../src/judge/recorded-attempt.ts';
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

test('in live mode the log of what was done stands for the actions; in the workspace both go along', () => {
  const own = (kind: string, ...more: object[]) =>
    [
      { type: 'attempt-started', task: {}, config: {}, environment: { kind } },
      message(1, 'assistant', '{"playwright_code":"click()"}'),
      ...more,
    ].map((event, seq) => ({ seq, time: '', ...event })) as Event[];
  const log = { type: 'run-log-noted', step: 1, text: 'step 1: click() → ok' };
  expect(shortHistoryOf(own('live'))).toBe('1. click()');
  expect(shortHistoryOf(own('live', log))).toBe('step 1: click() → ok');
  expect(shortHistoryOf(own('workspace', log))).toBe('1. click()\nLog of the run that was handed in:\nstep 1: click() → ok');
});

test('files that were downloaded come back with the text that was kept', () => {
  const kept = { id: 'd1', name: 'a.csv', url: 'u', bytes: 3, sha256: 's', text: 'a,b' };
  const log = [{ seq: 0, time: '', type: 'download-kept', step: 1, file: 'download-1', ...kept }] as Event[];
  expect(downloadsOf(log)).toEqual([{ ...kept, path: 'download-1' }]);
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
