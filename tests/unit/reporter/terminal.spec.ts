import { expect, test } from '@playwright/test';
import { groupsOf } from '../../../src/reporter/summary.ts';
import { stepLine, summaryLines } from '../../../src/reporter/terminal.ts';
import { oneLine, shorten } from '../../../src/reporter/text.ts';
import { entry } from './attempt.ts';

const step = { category: 'test.step', title: 'step 3', subtitle: "click('Add') · 812 tokens", duration: 2140 };

test('a step of an agent is a line, any other step is none', () => {
  expect(stepLine({ test: { title: 'kettle' }, step })).toBe(
    "    kettle                        step 3  click('Add') · 812 tokens  (2.1 s)",
  );
  expect(stepLine({ test: { title: 'kettle' }, step: { ...step, error: { message: 'no' } } })).toMatch(/failed$/);
  const long = stepLine({ test: { title: 'kettle' }, step: { ...step, subtitle: `${'x'.repeat(200)} · 812 tokens · $0.0031` } });
  expect(long).toMatch(/ x{79}… · 812 tokens · \$0\.0031 {2}\(2\.1 s\)$/);
  expect(stepLine({ test: { title: 'kettle' }, step: { ...step, title: 'Add to cart' } })).toBeUndefined();
  expect(stepLine({ test: { title: 'kettle' }, step: { ...step, category: 'pw:api' } })).toBeUndefined();
});

test('what a page or a model wrote cannot steer the terminal', () => {
  expect(oneLine('a\x1b[2J\r\nb\x9b1mc\u202etxt\ud800')).toBe('a [2J b 1mctxt\ufffd');
  const lines = summaryLines({
    groups: groupsOf([entry({ outcome: 'failed', reason: 'R1\x1b]0;owned\x07\nfake: line' })]),
    page: 'p.html',
  });
  expect(lines.join('\n')).not.toContain('\x1b');
  expect(lines.some(line => line.startsWith('fake'))).toBe(false);
});

test('a cut text keeps whole characters', () => {
  expect(shorten({ text: '👩‍💻👩‍💻', max: 100 })).toBe('👩‍💻👩‍💻');
  expect(shorten({ text: '😀😀😀', max: 2 })).toBe('😀…');
});

test('the summary fits one screen whatever the number of failures', () => {
  const entries = Array.from({ length: 200 }, (_, n) => entry({ taskId: `t${n}`, outcome: 'failed', reason: 'x'.repeat(5000) }));
  const lines = summaryLines({ groups: groupsOf(entries), page: 'reports/benchmark/index.html' });
  expect(lines.length).toBeLessThan(24);
  expect(lines.every(line => line.length <= 160)).toBe(true);
  expect(lines).toContain('webwright, live: 0 of 200 passed: 0 % (95 % interval 0–2 %)');
  expect(lines).toContain('  … and 190 more on the page');
  expect(lines.at(-1)).toBe('  page: reports/benchmark/index.html');
});

test('a run without attempts says so', () => {
  expect(summaryLines({ groups: [], page: 'p' }).join('\n')).toContain('no attempts');
});
