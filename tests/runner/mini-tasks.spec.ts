import { readFileSync } from 'node:fs';
import { type BrowserContext, expect } from '@playwright/test';
import type { Sites } from '../../fixtures/sites/server.ts';
import { taskFromOdysseysRow } from '../../src/benchmarks/odysseys-row.ts';
import type { Task } from '../../src/core/task.ts';
import { type CheckContext, runChecks, validateChecks } from '../../src/judge/checks/index.ts';
import { solvers } from './mini-solvers.ts';
import { test } from './sites-fixture.ts';

const tasks = ['live', 'workspace'].flatMap(name => {
  const rows: unknown[] = JSON.parse(readFileSync(new URL(`../../tasks/mini/${name}.json`, import.meta.url), 'utf8'));
  return rows.map(row => taskFromOdysseysRow({ row, benchmark: 'mini' }));
});

/** For each task a thing that looks right at first sight, and the checks that must notice it. */
const nearMisses: Record<string, { pick: string; caught: string[] }> = {
  'mini-live-kettle': { pick: 'Tarn Mini Kettle', caught: ['C1', 'C2', 'C6', 'C8'] },
  'mini-live-reading-corner': { pick: '3rd edition', caught: ['C1', 'C4', 'C6', 'C7'] },
  'mini-live-gift': { pick: 'Pebble Mug', caught: ['C1', 'C9'] },
  'mini-workspace-bulbs': { pick: 'Glow LED Bulb E27, pack of 4', caught: ['C1', 'C2', 'C4', 'C5'] },
  'mini-workspace-astronomy': { pick: 'Listening to Pulsars', caught: ['C1', 'C4'] },
};

for (const task of tasks) {
  test(`${task.id}: can be solved, and then every check passes`, async ({ context, sites }) => {
    const finalResponse = await solvers[task.id]!({ context });
    const items = await decide({ task, context, sites, finalResponse });
    expect(items.filter(({ status }) => status !== 'pass')).toEqual([]);
    expect(items.length).toBeGreaterThanOrEqual(2);
  });

  test(`${task.id}: a near miss is noticed`, async ({ context, sites }) => {
    const { pick, caught } = nearMisses[task.id]!;
    const finalResponse = await solvers[task.id]!({ context, pick });
    const items = await decide({ task, context, sites, finalResponse });
    expect(items.filter(({ status }) => status === 'fail').map(({ id }) => id)).toEqual(caught);
  });

  test(`${task.id}: an agent that only claims the right answer fails`, async ({ context, sites }) => {
    const finalResponse = task.rubric.map(({ verification }) => verification).join(' ');
    const items = await decide({ task, context, sites, finalResponse });
    expect(items.find(({ kind, id }) => kind === 'check' && id === 'C1')).toMatchObject({ status: 'fail' });
  });

  test(`${task.id}: the row is complete`, () => {
    validateChecks(task.checks);
    expect(task.rubric.length).toBeGreaterThanOrEqual(2);
    expect(task.rubric.length).toBeLessThanOrEqual(4);
    expect(task.rubric.every(({ verification }) => verification)).toBe(true);
    expect(task.checks.every(check => typeof check['requirement'] === 'string')).toBe(true);
    expect(task.hosts).toContain(new URL(task.startUrls[0]!).host);
    const decided = task.checks.filter(({ kind }) => ['server-state', 'page-text', 'tab-open', 'url', 'request-seen'].includes(kind));
    expect(decided.length, 'checks on server state or final page').toBeGreaterThanOrEqual(2);
  });
}

function decide({ task, context, sites, finalResponse }: { task: Task; context: BrowserContext; sites: Sites; finalResponse: string }) {
  const pages: CheckContext['pages'] = context.pages().map((page, index, all) => ({
    url: page.url(),
    title: '',
    text: '',
    current: index === all.length - 1,
    texts: selector => page.locator(selector).allInnerTexts(),
  }));
  return runChecks({
    checks: task.checks,
    context: { finalResponse, pages, downloads: [], state: site => sites.state(site), requests: site => sites.requests(site) },
  });
}
