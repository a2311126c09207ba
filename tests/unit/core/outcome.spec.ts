import { expect, test } from '@playwright/test';
import { outcomeOf } from '../../../src/core/outcome.ts';
import type { CoachVerdict, ItemVerdict, Verdict } from '../../../src/core/verdict.ts';

const coach: CoachVerdict = { predicted_label: 1, reasons: 'all points shown', images: [], look: 1, model: 'm' };
const item = (status: ItemVerdict['status'], id = 'R1'): ItemVerdict => ({
  id,
  kind: 'rubric',
  requirement: 'r',
  status,
  reason: 'because',
  evidence: [],
});
const verdict = (items: ItemVerdict[], label: Verdict['predicted_label'] = 1): Verdict => ({
  predicted_label: label,
  reasons: 'why',
  coach: { ...coach, predicted_label: label },
  grader: items.length > 0 ? { items, model: 'm' } : null,
});

test('a submitted attempt passes only when every item passed', () => {
  const outcome = (items: ItemVerdict[]) => outcomeOf({ exitStatus: 'Submitted', detail: '', verdict: verdict(items) }).outcome;
  expect(outcome([item('pass'), item('pass', 'R2')])).toBe('passed');
  expect(outcome([item('pass'), item('fail', 'R2')])).toBe('failed');
  expect(outcome([item('pass'), item('cannot-tell', 'R2')])).toBe('failed');
  expect(outcome([item('pass'), item('unasked', 'R2')])).toBe('unscored');
  expect(outcome([item('fail'), item('unasked', 'R2')])).toBe('failed');
});

test('without rubric and checks the coach decides and the result is ungraded', () => {
  const result = (label: Verdict['predicted_label']) => outcomeOf({ exitStatus: 'Submitted', detail: '', verdict: verdict([], label) });
  expect(result(1)).toMatchObject({ outcome: 'passed', ungraded: true });
  expect(result(0)).toMatchObject({ outcome: 'failed', ungraded: true });
  expect(result(null)).toMatchObject({ outcome: 'unscored', ungraded: true });
});

test('every exit status has its outcome, also when all items passed', () => {
  const outcome = (exitStatus: Parameters<typeof outcomeOf>[0]['exitStatus']) =>
    outcomeOf({ exitStatus, detail: 'd', verdict: verdict([item('pass')]) }).outcome;
  expect(outcome('LimitsExceeded')).toBe('limit');
  expect(outcome('GaveUp')).toBe('gave_up');
  expect(outcome('EnvironmentError')).toBe('errored');
  expect(outcome('ModelError')).toBe('errored');
  expect(outcome('Interrupted')).toBe('errored');

  const ended = outcomeOf({ exitStatus: 'ModelError', detail: 'no reply came in time', verdict: verdict([]) });
  expect(ended, 'no label stands behind it').toMatchObject({ outcome: 'errored', ungraded: false });
});

test('tampering beats everything', () => {
  expect(outcomeOf({ exitStatus: 'Submitted', detail: '', verdict: verdict([item('pass')]), tampering: ['file differs'] })).toMatchObject({
    outcome: 'invalid',
    reason: 'file differs',
  });
});
