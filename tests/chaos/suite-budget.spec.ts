import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';

const compiled = (path: string) => JSON.stringify(pathToFileURL(resolve(import.meta.dirname, '../../dist/src', path)).href);

/** A worker: 25 calls of a priced model, each using between a tenth and all of its worst case; prints what it spent. */
const worker = (path: string, name: number) => `
  import { suiteBudget } from ${compiled('models/budget-suite.js')};
  import { metered } from ${compiled('models/ledger-metered.js')};
  import { createLedger } from ${compiled('models/ledger.js')};
  import { scripted } from ${compiled('models/scripted.js')};
  const warnings = [];
  const budget = suiteBudget({ path: ${JSON.stringify(path)}, limits: { usd: 1, tokens: null, minutes: null }, onWarning: text => warnings.push(text) });
  const ledger = createLedger();
  let spent = 0, made = 0, refused = 0;
  const inner = scripted((request, index) => {
    const costUsd = (((${name} * 25 + index) * 7919) % 10 + 1) / 10 * 0.05;
    spent += costUsd; made += 1;
    if (process.env.DIE_AT === String(made)) process.kill(process.pid, 'SIGKILL');
    return { text: 'ok', costUsd };
  });
  const model = metered({ model: { ...inner, name: 'm' }, ledger, budgets: [budget], priceOf: () => 0.05 });
  for (let call = 1; call <= 25; call += 1) {
    try {
      await model.complete({ role: 'agent', key: 'step-' + call, messages: [], signal: new AbortController().signal });
    } catch (error) {
      if (error.failure !== 'budget') throw error;
      refused += 1;
    }
  }
  console.log(JSON.stringify({ spent, made, refused, warnings, entered: ledger.total() }));
`;

interface Report {
  spent: number;
  made: number;
  refused: number;
  warnings: string[];
  entered: { calls: number; costUsd: number };
}

function run({ path, name, dieAt }: { path: string; name: number; dieAt?: number }): Promise<Report | null> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', worker(path, name)], {
    env: { PATH: process.env['PATH'], DIE_AT: String(dieAt ?? '') },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let out = '';
  child.stdout.on('data', chunk => (out += chunk));
  return new Promise((done, fail) => {
    child.on('error', fail);
    child.on('close', (code, signal) =>
      code === 0 ? done(JSON.parse(out)) : signal === 'SIGKILL' ? done(null) : fail(new Error(`worker ${name}: exit ${code}`)),
    );
  });
}

/** Money settled by the file alone. */
const settledIn = (path: string) =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as { settle?: string; usd?: number })
    .reduce((sum, { settle, usd = 0 }) => (settle ? sum + usd : sum), 0);

test('4 workers × 25 calls never pass the suite budget and lose nothing when it runs out', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'suite-budget-'));
  const path = join(folder, 'budget.jsonl');
  const reports = (await Promise.all([0, 1, 2, 3].map(name => run({ path, name })))) as Report[];
  const total = (pick: (report: Report) => number) => reports.reduce((sum, report) => sum + pick(report), 0);

  expect(total(({ made }) => made) + total(({ refused }) => refused)).toBe(100);
  // 100 calls would come to $2.75; the budget has to cut some, and has to be used up to less than one worst case.
  expect(total(({ refused }) => refused)).toBeGreaterThan(0);
  expect(total(({ spent }) => spent)).toBeLessThanOrEqual(1 + 1e-9);
  expect(total(({ spent }) => spent)).toBeGreaterThan(0.95);
  for (const { made, spent, entered } of reports) {
    expect(entered.calls).toBe(made);
    expect(entered.costUsd).toBeCloseTo(spent, 9);
  }
  expect(settledIn(path)).toBeCloseTo(
    total(({ spent }) => spent),
    9,
  );
  expect(reports.flatMap(({ warnings }) => warnings)).toHaveLength(1);
  rmSync(folder, { recursive: true });
});

test('a worker killed in the middle of a call leaves its worst case spent, and the others go on', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'suite-budget-'));
  const path = join(folder, 'budget.jsonl');
  // It dies first: beside the others it might find nothing left to spend.
  const reports = [await run({ path, name: 0, dieAt: 3 }), ...(await Promise.all([1, 2].map(name => run({ path, name }))))];
  expect(reports[0]).toBeNull();
  expect(reports[1]!.made + reports[1]!.refused + reports[2]!.made + reports[2]!.refused).toBe(50);
  expect(settledIn(path) + 0.05).toBeLessThanOrEqual(1 + 1e-9);
  expect(settledIn(path)).toBeGreaterThan(0.85);
  rmSync(folder, { recursive: true });
});
