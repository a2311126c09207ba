import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { attemptBudget, type Budget, type BudgetLimits } from '../../../src/models/budget.ts';
import { type SuiteBudgetOptions, suiteBudget } from '../../../src/models/budget-suite.ts';

const signal = new AbortController().signal;
const limits = (fields: Partial<BudgetLimits>): BudgetLimits => ({ usd: null, tokens: null, minutes: null, ...fields });

const test = base.extend<{ path: string }>({
  path: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'budget-'));
    await use(join(folder, 'run', 'budget.jsonl'));
    rmSync(folder, { recursive: true });
  },
});

test.describe('attempt', () => {
  const budget = (fields: Partial<BudgetLimits>, { now = () => 0, warnings = [] }: { now?: () => number; warnings?: string[] } = {}) =>
    attemptBudget({ limits: limits(fields), now, onWarning: text => warnings.push(text) });

  test('the worst cases of calls under way count; what they leave over is free again', async () => {
    const account = budget({ usd: 1 });
    const first = await account.reserve({ usd: 0.6, tokens: 0 }, { signal });
    await expect(account.reserve({ usd: 0.6, tokens: 0 }, { signal })).rejects.toMatchObject({
      failure: 'budget',
      scope: 'attempt',
      limit: 'usd',
      seen: '$0.0000 of $1, 1 calls under way; this call may take up to $0.6000',
    });
    first.settle({ usd: 0.1, tokens: 0 });
    first.settle({ usd: 0.9, tokens: 0 });
    await account.reserve({ usd: 0.9, tokens: 0 }, { signal });
  });

  test('sums of cents are exact, so the last cent can be spent', async () => {
    const account = budget({ usd: 0.3 });
    for (let call = 0; call < 3; call += 1) (await account.reserve({ usd: 0.1, tokens: 0 }, { signal })).settle({ usd: 0.1, tokens: 0 });
    await expect(account.reserve({ usd: 0.000001, tokens: 0 }, { signal })).rejects.toThrow('budget.usd');
  });

  test('tokens, minutes, and a price nobody knows', async () => {
    await expect(budget({ tokens: 100 }).reserve({ usd: null, tokens: 101 }, { signal })).rejects.toMatchObject({ limit: 'tokens' });
    await budget({ usd: 1, tokens: 100 }).reserve({ usd: null, tokens: 100 }, { signal });
    let time = 0;
    const timed = budget({ minutes: 2 }, { now: () => time });
    time = 119_999;
    await timed.reserve({ usd: 9, tokens: 9 }, { signal });
    time = 120_000;
    await expect(timed.reserve({ usd: 0, tokens: 0 }, { signal })).rejects.toMatchObject({ limit: 'minutes', seen: '2.0 of 2 minutes' });
  });

  test('a warning once, when three quarters are spent', async () => {
    const warnings: string[] = [];
    const account = budget({ usd: 1, tokens: 1_000 }, { warnings });
    for (const tokens of [700, 60, 100]) (await account.reserve({ usd: 0, tokens }, { signal })).settle({ usd: 0.01, tokens });
    expect(warnings).toEqual(['budget of the attempt: $0.0200 of $1, 760 of 1000 tokens']);
  });
});

test.describe('suite', () => {
  const open = (path: string, fields: Partial<BudgetLimits>, more: Partial<SuiteBudgetOptions> = {}): Budget =>
    suiteBudget({ path, limits: limits(fields), onWarning: () => {}, waitMs: 0, ...more });

  test('two workers share one file and leave nothing else behind', async ({ path }) => {
    const [a, b] = [open(path, { usd: 1 }), open(path, { usd: 1 })];
    const held = await a!.reserve({ usd: 0.7, tokens: 5 }, { signal });
    await expect(b!.reserve({ usd: 0.4, tokens: 0 }, { signal })).rejects.toMatchObject({
      scope: 'suite',
      limit: 'usd',
      failure: 'budget',
    });
    held.settle({ usd: 0.2, tokens: 5 });
    await b!.reserve({ usd: 0.8, tokens: 0 }, { signal });
    await expect(a!.reserve({ usd: 0.01, tokens: 0 }, { signal })).rejects.toThrow("The suite's budget (usd) is used up");
    expect(readdirSync(join(path, '..'))).toEqual(['budget.jsonl']);
  });

  test('whoever comes second to the same last piece does not get it', async ({ path }) => {
    const [a, b] = [open(path, { tokens: 100 }), open(path, { tokens: 100 })];
    const results = await Promise.allSettled([a, b].map(budget => budget!.reserve({ usd: 0, tokens: 60 }, { signal })));
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  test('a line of another worker that lands between our look and our line makes ours void', async ({ path }) => {
    const budget = open(path, { tokens: 100 });
    const other = { reserve: 'other', usd: 0, tokens: 60, pid: process.pid };
    const worst = {
      tokens: 60,
      // Without a money limit this is read only when the line is written.
      get usd() {
        appendFileSync(path, `${JSON.stringify(other)}\n`);
        return 0;
      },
    };
    await expect(budget.reserve(worst, { signal })).rejects.toThrow('used up');
    expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(3);
    appendFileSync(path, `${JSON.stringify({ settle: 'other', usd: 0, tokens: 10 })}\n`);
    await budget.reserve({ usd: 0, tokens: 90 }, { signal });
  });

  test('a call waits for calls under way, not for lost ones', async ({ path }) => {
    const first = open(path, { tokens: 100 });
    const held = await first.reserve({ usd: 0, tokens: 80 }, { signal });
    const waits: number[] = [];
    const sleep = async (ms: number) => {
      waits.push(ms);
      if (waits.length === 3) held.settle({ usd: 0, tokens: 1 });
    };
    await open(path, { tokens: 100 }, { waitMs: 60_000, sleep }).reserve({ usd: 0, tokens: 90 }, { signal });
    expect(waits).toEqual([50, 100, 200]);

    const orphaned = open(path, { tokens: 100 }, { waitMs: 60_000, sleep, isAlive: () => false });
    await expect(orphaned.reserve({ usd: 0, tokens: 50 }, { signal })).rejects.toMatchObject({ limit: 'tokens' });
    expect(waits).toHaveLength(3);
  });

  test('waiting ends with the deadline or the signal', async ({ path }) => {
    await open(path, { tokens: 100 }).reserve({ usd: 0, tokens: 80 }, { signal });
    let time = 0;
    const sleep = async (ms: number) => {
      time += ms;
    };
    const patient = open(path, { tokens: 100 }, { waitMs: 10_000, now: () => time, sleep });
    await expect(patient.reserve({ usd: 0, tokens: 90 }, { signal })).rejects.toMatchObject({ limit: 'tokens' });
    expect(time).toBeGreaterThanOrEqual(10_000);
    const controller = new AbortController();
    const aborted = open(path, { tokens: 100 }, { waitMs: 10_000, sleep: async () => controller.abort() });
    await expect(aborted.reserve({ usd: 0, tokens: 90 }, { signal: controller.signal })).rejects.toMatchObject({ failure: 'aborted' });
  });

  test('a shard gets its share of money and tokens, and all the minutes', async ({ path }) => {
    let time = 0;
    const shard = open(path, { usd: 4, tokens: 400, minutes: 10 }, { share: 0.25, now: () => time });
    await expect(shard.reserve({ usd: 1.01, tokens: 0 }, { signal })).rejects.toMatchObject({ limit: 'usd' });
    await expect(shard.reserve({ usd: 0, tokens: 101 }, { signal })).rejects.toMatchObject({ limit: 'tokens' });
    time = 599_999;
    await shard.reserve({ usd: 1, tokens: 100 }, { signal });
    time = 600_000;
    await expect(shard.reserve({ usd: 0, tokens: 0 }, { signal })).rejects.toMatchObject({ limit: 'minutes' });
  });

  test('an unknown price is refused where money is limited', async ({ path }) => {
    await expect(open(path, { usd: 4 }).reserve({ usd: null, tokens: 1 }, { signal })).rejects.toThrow('add it to the price table');
  });

  test('only the worker that passes three quarters warns', async ({ path }) => {
    const warnings: string[] = [];
    const workers = ['a', 'b'].map(name => open(path, { usd: 2 }, { share: 0.5, onWarning: text => warnings.push(`${name} ${text}`) }));
    for (const [index, usd] of [0.5, 0.3, 0.1].entries()) {
      (await workers[index % 2]!.reserve({ usd, tokens: 0 }, { signal })).settle({ usd, tokens: 0 });
    }
    expect(warnings).toEqual(['b budget of the suite: $0.8000 of $1 (share 0.5 of the suite)']);
  });

  test('torn and foreign lines are no lines; other limits are an error', async ({ path }) => {
    const budget = open(path, { tokens: 100 });
    appendFileSync(path, 'null\n{"reserve":\n\n[1]\n');
    await budget.reserve({ usd: 0, tokens: 100 }, { signal });
    expect(() => open(path, { tokens: 200 })).toThrow('begun with other limits');
  });
});
