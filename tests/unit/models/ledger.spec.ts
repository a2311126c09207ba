import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { ModelCallError } from '../../../src/core/errors.ts';
import type { ModelRequest } from '../../../src/core/model.ts';
import { noUsage, type Usage } from '../../../src/core/usage.ts';
import type { Amount, Budget } from '../../../src/models/budget.ts';
import { createLedger, sumRoles } from '../../../src/models/ledger.ts';
import { metered } from '../../../src/models/ledger-metered.ts';
import { loadPrices, type Prices, priceOf } from '../../../src/models/prices.ts';
import { scripted } from '../../../src/models/scripted.ts';

const usage = (fields: Partial<Usage>): Usage => ({ ...noUsage, ...fields });
const entry = (role: 'agent' | 'coach', costUsd: number | null) => ({
  role,
  usage: usage({ inputTokens: 10, outputTokens: 1 }),
  costUsd,
  durationMs: 5,
  source: 'live' as const,
});

test.describe('ledger', () => {
  test('calls, tokens, seconds and money add up by role, in a fixed order', () => {
    const ledger = createLedger();
    for (const role of ['coach', 'agent', 'agent'] as const) ledger.add(entry(role, 0.25));
    expect(ledger.roles()).toEqual([
      { role: 'agent', calls: 2, usage: usage({ inputTokens: 20, outputTokens: 2 }), costUsd: 0.5, durationMs: 10 },
      { role: 'coach', calls: 1, usage: usage({ inputTokens: 10, outputTokens: 1 }), costUsd: 0.25, durationMs: 5 },
    ]);
    expect(ledger.total()).toEqual({ calls: 3, usage: usage({ inputTokens: 30, outputTokens: 3 }), costUsd: 0.75, durationMs: 15 });
    expect(ledger.source()).toBe('live');
    ledger.add({ ...entry('agent', 0), source: 'replayed' });
    expect(ledger.source()).toBe('mixed');
    expect(createLedger().source()).toBeNull();
    expect(createLedger().total()).toEqual({ calls: 0, usage: noUsage, costUsd: 0, durationMs: 0 });
  });

  test('one unknown price makes its sums unknown, and no others', () => {
    const ledger = createLedger();
    ledger.add(entry('agent', 0.5));
    ledger.add(entry('coach', null));
    ledger.add(entry('coach', 0.5));
    expect(ledger.roles().map(({ costUsd }) => costUsd)).toEqual([0.5, null]);
    expect(ledger.total().costUsd).toBeNull();
    expect(sumRoles([ledger.roles(), ledger.roles()])).toMatchObject([
      { role: 'agent', calls: 2, costUsd: 1 },
      { role: 'coach', calls: 4, costUsd: null },
    ]);
  });
});

test.describe('prices', () => {
  const table: Prices = {
    date: '2026-11-05',
    sources: [],
    models: {
      'gpt-5': { input: 2, output: 10 },
      'gpt-5-mini': {
        input: 1,
        cachedInput: 0.1,
        cacheWrite: 4,
        output: 5,
        longPrompt: { aboveInputTokens: 1_000, input: 10, output: 50 },
      },
      capped: { input: 1, output: 1, longPrompt: { aboveInputTokens: 1_000 } },
      'ollama/*': { input: 0, output: 0 },
    },
  };
  const price = priceOf(table);
  const million = usage({ inputTokens: 1_000_000 });

  test('cached, cache-write, plain and output tokens have rates of their own', () => {
    const mixed = usage({ inputTokens: 1_000, cachedInputTokens: 500, cacheWriteTokens: 100, outputTokens: 10, reasoningTokens: 9 });
    expect(price('gpt-5-mini', mixed)).toBeCloseTo((400 * 1 + 500 * 0.1 + 100 * 4 + 10 * 5) / 1e6, 12);
    expect(price('gpt-5', mixed)).toBeCloseTo((1_000 * 2 + 10 * 10) / 1e6, 12);
  });

  test('a long prompt has its own rates, or an unknown price', () => {
    expect(price('gpt-5-mini', usage({ inputTokens: 1_001, outputTokens: 1 }))).toBeCloseTo((1_001 * 10 + 50) / 1e6, 12);
    expect(price('capped', usage({ inputTokens: 1_000 }))).toBe(0.001);
    expect(price('capped', usage({ inputTokens: 1_001 }))).toBeNull();
  });

  test('a name covers its dated versions and no other model', () => {
    for (const name of ['gpt-5', 'gpt-5-2025-08-07', 'gpt-5@20250807', 'openai/gpt-5', 'gpt-5-latest', 'gpt-5-20250807-v1:0'])
      expect(price(name, million), name).toBe(2);
    for (const name of ['gpt-5-pro', 'gpt-5.4', 'gpt-50', 'my-gpt-5', 'GPT-5', '', 'gpt-5-mini-high'])
      expect(price(name, million), name).toBeNull();
    expect(price('ollama/qwen3:8b', million)).toBe(0);
  });

  test('the shipped table is dated, plausible and complete for both makers', () => {
    const prices = loadPrices('config/prices.yaml');
    expect(prices.sources.length).toBeGreaterThan(0);
    for (const [name, { input, cachedInput = input, cacheWrite = input, output }] of Object.entries(prices.models)) {
      expect.soft(cachedInput <= input && input <= cacheWrite && input < output, name).toBe(true);
    }
    const known = priceOf(prices);
    expect(
      known('claude-sonnet-4-5-20250929', usage({ inputTokens: 100_000, cachedInputTokens: 90_000, outputTokens: 1_000 })),
    ).toBeCloseTo(0.072, 9);
    expect(known('gpt-5.4', usage({ inputTokens: 100_000, outputTokens: 1_000 }))).toBeCloseTo(0.265, 9);
    expect(known('gpt-5.4-pro', million)).toBeNull();
  });

  test('a bad table names file and field', () => {
    const folder = mkdtempSync(join(tmpdir(), 'prices-'));
    const path = join(folder, 'mine.yaml');
    writeFileSync(path, 'date: 2026-01-01\nmodels:\n  x: { input: 1, output: -1 }\n');
    expect(() => loadPrices(path)).toThrow(/mine\.yaml cannot be used\n {2}seen: models\.x\.output/);
    writeFileSync(path, 'models: {}\n');
    expect(() => loadPrices(path)).toThrow('seen: date');
    rmSync(folder, { recursive: true });
    expect(() => loadPrices(path)).toThrow('ENOENT');
  });
});

test.describe('metered', () => {
  const prices = priceOf({ date: '2026-11-05', sources: [], models: { m: { input: 1_000, cacheWrite: 2_000, output: 10_000 } } });
  const request = (fields: Partial<ModelRequest> = {}): ModelRequest => ({
    role: 'agent',
    key: 'step-1',
    messages: [{ role: 'user', content: 'x'.repeat(88), extra: {} }],
    signal: new AbortController().signal,
    ...fields,
  });
  /** A budget that remembers what it was asked for and what it came to. */
  const spy = (log: (string | Amount)[], refuse?: Error): Budget => ({
    async reserve(worst) {
      log.push('reserve', worst);
      if (refuse) throw refuse;
      return { settle: amount => void log.push('settle', amount) };
    },
  });
  const named = (replies: Parameters<typeof scripted>[0], provider = 'openai') => ({ ...scripted(replies), name: 'm', provider });
  const spent = usage({ inputTokens: 30, outputTokens: 2 });

  test('the worst case is set aside first: uncached or cache-writing prompt, all the output', async () => {
    const log: (string | Amount)[] = [];
    const ledger = createLedger();
    const model = metered({
      model: named([{ text: 'a', usage: spent, costUsd: 0.05 }]),
      ledger,
      budgets: [spy(log)],
      priceOf: prices,
      maxOutputTokens: 50,
    });
    await model.complete(request());
    // 88 bytes and 12 for the message; 100 tokens at 2,000 $/M and 50 at 10,000 $/M.
    expect(log).toEqual(['reserve', { usd: 0.7, tokens: 150 }, 'settle', { usd: 0.05, tokens: 32 }]);
    expect(ledger.roles()).toMatchObject([{ role: 'agent', calls: 1, usage: spent, costUsd: 0.05 }]);
  });

  test('the next call of the role is bounded by what the endpoint counted; a call may name its own output limit', async () => {
    const log: (string | Amount)[] = [];
    const model = metered({
      model: named({ agent: [{ text: 'a', usage: spent }, 'b'], coach: ['c'] }),
      ledger: createLedger(),
      budgets: [spy(log)],
      maxOutputTokens: 50,
    });
    await model.complete(request());
    await model.complete(request({ maxOutputTokens: 5 }));
    await model.complete(request({ role: 'coach' }));
    expect(log.filter(item => typeof item === 'object' && item.tokens > 40)).toMatchObject([{ tokens: 150 }, { tokens: 150 }]);
    expect(log[5]).toEqual({ usd: null, tokens: 35 });
  });

  test('an unknown cost is settled at its worst case; scripted and recorded models are free', async () => {
    const log: (string | Amount)[] = [];
    const ledger = createLedger();
    await metered({ model: named([{ text: 'a', usage: spent, costUsd: null }]), ledger, budgets: [spy(log)], priceOf: prices }).complete(
      request(),
    );
    expect(log.at(-1)).toEqual({ usd: 0.2, tokens: 32 });
    expect(ledger.total().costUsd).toBeNull();
    for (const provider of ['scripted', 'recorded']) {
      const free: (string | Amount)[] = [];
      await metered({
        model: { ...named([{ text: 'a', usage: spent, source: 'replayed' }], provider), name: provider },
        ledger,
        budgets: [spy(free)],
      }).complete(request());
      expect(free[1]).toMatchObject({ usd: 0 });
      expect(free.at(-1)).toEqual({ usd: 0, tokens: 0 });
    }
  });

  test('a budget that refuses frees what the others had set aside, and no call is made', async () => {
    const log: (string | Amount)[] = [];
    const inner = named(['a']);
    const model = metered({ model: inner, ledger: createLedger(), budgets: [spy(log), spy([], new Error('no room'))] });
    await expect(model.complete(request())).rejects.toThrow('no room');
    expect(log.at(-1)).toEqual({ usd: 0, tokens: 0 });
    expect(inner.requests).toHaveLength(0);
  });

  test('a failed call is paid as far as it was billed, and wholly when nobody knows', async () => {
    const failures: [Error, Amount, number][] = [
      [new ModelCallError({ failure: 'auth', what: 'x', attempts: 1 }), { usd: 0, tokens: 0 }, 1],
      [new ModelCallError({ failure: 'bad-reply', what: 'x', attempts: 2, usage: spent }), { usd: 0.05, tokens: 32 }, 1],
      [new ModelCallError({ failure: 'recording', what: 'x' }), { usd: 0, tokens: 0 }, 0],
      [new TypeError('bug'), { usd: 0.2, tokens: 100 }, 0],
    ];
    for (const [error, amount, calls] of failures) {
      const log: (string | Amount)[] = [];
      const ledger = createLedger();
      const model = metered({ model: named([error]), ledger, budgets: [spy(log)], priceOf: prices });
      await expect(model.complete(request())).rejects.toBe(error);
      expect(log.at(-1)).toEqual(amount);
      expect(ledger.total().calls).toBe(calls);
    }
  });
});
