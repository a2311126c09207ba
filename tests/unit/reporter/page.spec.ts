import { createHash } from 'node:crypto';
import { expect, test } from '@playwright/test';
import type { ItemVerdict } from '../../../src/core/verdict.ts';
import { pageOf } from '../../../src/reporter/page.ts';
import { groupsOf } from '../../../src/reporter/summary.ts';
import { attempt, entry } from './attempt.ts';

const startedAt = '2026-01-02T03:04:05.000Z';
const page = (...entries: ReturnType<typeof entry>[]) =>
  pageOf({ groups: groupsOf(entries), startedAt, linksOf: () => [{ label: 'steps', href: '../runs/a%20b/steps.md' }] });

test('H10 nothing that a page or a model wrote becomes markup', () => {
  const hostile = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
  const strings = Object.fromEntries(
    Object.entries(attempt()).map(([key, value]) => [
      key,
      typeof value === 'string' && !['outcome', 'source'].includes(key) ? hostile : value,
    ]),
  );
  const item = { id: hostile, kind: 'check', requirement: hostile, status: 'fail', reason: hostile, evidence: [] } satisfies ItemVerdict;
  const text = page(entry({ ...strings, items: [item], outcome: 'failed' }));
  expect(text).toContain('&#60;script&#62;');
  expect(text).not.toMatch(/<script|<img|onerror=a[^&]*>/);
});

test('H10 the policy forbids everything but the style of the page', () => {
  const text = page(entry());
  const [, style] = /<style>([\s\S]*?)<\/style>/.exec(text)!;
  const digest = createHash('sha256').update(style!).digest('base64');
  expect(text.replaceAll('&#39;', "'")).toContain(`default-src 'none'; style-src 'sha256-${digest}'; base-uri 'none'`);
  expect(text).not.toMatch(/ style="| src="|href="https?:/);
});

test('H11 an answer in Markdown is text: no image, no link, whatever its address', () => {
  const answer = '![x](http://evil.example/?leak) [x](javascript:alert(1)) <http://evil.example> https://evil.example';
  const text = page(entry({ finalResponse: answer }));
  expect(text).toContain('![x](http://evil.example/?leak) [x](javascript:alert(1))');
  expect(text).not.toMatch(/<img|href="(?:https?|javascript):|src=/);
  expect([...text.matchAll(/<a [^>]*>/g)].every(([link]) => !link.includes('evil'))).toBe(true);
});

test('live and replayed attempts have sections and rates of their own', () => {
  const text = page(entry({ taskId: 'one' }), entry({ taskId: 'two', source: 'replayed', outcome: 'failed' }));
  const sections = text.split('<section>').slice(1);
  expect(sections).toHaveLength(2);
  expect(sections[0]).toContain('<strong>100 %</strong> 1 of 1 passed');
  expect(sections[0]).not.toContain('two');
  expect(sections[1]).toContain('<strong>0 %</strong> 0 of 1 passed');
});

test('an attempt shows outcome, reason, label, steps, tokens, cost and where to read on', () => {
  const text = page(entry({ outcome: 'limit', reason: 'limit reached: steps', costUsd: null, predicted_label: null }));
  for (const part of ['limit reached: steps', '<td>none</td>', '1,234', 'unknown', '12.3 s', 'href="../runs/a%20b/steps.md"']) {
    expect(text).toContain(part);
  }
});

test('what the author has opened in the guard is said once, and nothing when it is closed', () => {
  const text = page(entry({ allow: ['route'] }), entry({ allow: ['clock', 'route'] }));
  expect(text).toContain('route, clock: the agent’s code could forge');
  expect(page(entry())).not.toContain('environment.allow');
});

test('a run without attempts is a page too', () => {
  expect(page()).toContain('No attempts in this run.');
});

test('the judge is named with its calibration, and without one as uncalibrated', () => {
  expect(page(entry())).toContain('gpt-x, uncalibrated');
  const calibration = { kappa: 0.7, n: 40, date: '2026-11-30' };
  expect(page(entry({ calibration }))).toContain('gpt-x, calibrated (κ 0.70, n 40, 2026-11-30)');
});
