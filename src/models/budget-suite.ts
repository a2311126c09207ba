import { randomUUID } from 'node:crypto';
import { closeSync, linkSync, mkdirSync, openSync, readFileSync, readSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ModelCallError, WebwrightError } from '../core/errors.ts';
import { type Budget, BudgetError, type BudgetLimits, budgetError, spentSoFar, warningShare } from './budget.ts';
import { type Account, type Amount, brokenLimit, openAccount, reserve, settle, spentShare } from './budget-account.ts';

type Line = { reserve: string; usd: number | null; tokens: number; pid: number } | { settle: string; usd: number | null; tokens: number };

interface Header {
  version: 1;
  startedAtMs: number;
  limits: BudgetLimits;
  share: number;
}

export interface SuiteBudgetOptions {
  /** One file per run and machine; all workers name the same. */
  path: string;
  /** Limits of the whole suite. */
  limits: BudgetLimits;
  /** This machine's part of money and tokens, 0–1: `1 / shards`. Minutes are not divided, shards run side by side. */
  share?: number;
  /** How long to wait for calls under way to free what they do not use. Default 60,000. */
  waitMs?: number;
  onWarning: (text: string) => void;
  now?: () => number;
  sleep?: (ms: number, signal: AbortSignal) => Promise<unknown>;
  isAlive?: (pid: number) => boolean;
}

/**
 * One budget for all workers of a machine, without a lock: workers append lines to one file, and the order of the lines
 * decides. A reservation holds if it fits at its place; every worker comes to the same answer. A killed worker's
 * reservation stays spent. A model with an unknown price is refused when the suite has a money limit.
 *
 * @example
 * const suite = suiteBudget({ path: 'reports/budget.jsonl', limits: { usd: 10, tokens: null, minutes: null }, share: 1 / 4, onWarning: console.warn });
 */
export function suiteBudget({
  path,
  limits,
  share = 1,
  waitMs = 60_000,
  onWarning,
  now = Date.now,
  sleep = (ms, signal) => delay(ms, undefined, { signal }).catch(() => {}),
  isAlive = isProcessAlive,
}: SuiteBudgetOptions): Budget {
  const header = sharedHeader({ path, header: { version: 1, startedAtMs: now(), limits, share } });
  const own = { usd: limits.usd && limits.usd * share, tokens: limits.tokens && Math.floor(limits.tokens * share) };
  const file = openJournal({ path, limits: own });

  const settleLater = (id: string) => ({
    settle(amount: Amount) {
      file.append({ settle: id, ...amount });
      file.read();
      if (file.warner === id) {
        const part = share === 1 ? '' : ` (share ${Number(share.toFixed(4))} of the suite)`;
        onWarning(`budget of the suite: ${spentSoFar({ account: file.account, limits: own })}${part}`);
      }
    },
  });

  return {
    async reserve(worst, { signal }) {
      if (limits.usd !== null && worst.usd === null) {
        throw new BudgetError({ scope: 'suite', limit: 'usd', seen: 'the price of this model is unknown; add it to the price table' });
      }
      const deadline = now() + waitMs;
      for (let waits = 0; ; waits += 1) {
        if (signal.aborted) throw new ModelCallError({ failure: 'aborted', what: 'A call that waited for the suite budget was aborted' });
        const minutes = (now() - header.startedAtMs) / 60_000;
        if (limits.minutes !== null && minutes >= limits.minutes) {
          throw new BudgetError({ scope: 'suite', limit: 'minutes', seen: `${minutes.toFixed(1)} of ${limits.minutes} minutes` });
        }
        file.read();
        const id = randomUUID();
        if (!brokenLimit({ account: file.account, limits: own, amount: worst })) {
          file.append({ reserve: id, ...worst, pid: process.pid });
          file.read();
          if (file.account.reserved.has(id)) return settleLater(id);
          continue;
        }
        const lost = (held: string) => !isAlive(file.pids.get(held) ?? 0);
        const isHopeless = brokenLimit({ account: file.account, limits: own, amount: worst, counting: lost }) !== null;
        if (isHopeless || now() >= deadline) throw budgetError({ scope: 'suite', account: file.account, limits: own, amount: worst });
        await sleep(Math.min(1_000, 50 * 2 ** waits), signal);
      }
    },
  };
}

/** Creates the file with its first line, or reads the one another worker has made. Linking makes both one atomic act. */
function sharedHeader({ path, header }: { path: string; header: Header }): Header {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.${randomUUID()}`;
  writeFileSync(draft, `${JSON.stringify(header)}\n`);
  try {
    linkSync(draft, path);
    return header;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    unlinkSync(draft);
  }
  const first = JSON.parse(readFileSync(path, 'utf8').split('\n', 1)[0]!) as Header;
  if (JSON.stringify([first.limits, first.share]) !== JSON.stringify([header.limits, header.share])) {
    throw new WebwrightError({
      code: 'BUDGET',
      what: `The budget file ${path} was begun with other limits`,
      seen: `${JSON.stringify(first.limits)}, share ${first.share}`,
      remedy: 'one run has one suite budget: give the run another id',
    });
  }
  return first;
}

/** The lines of the file folded into an account, read from where the last read ended. */
function openJournal({ path, limits }: { path: string; limits: Pick<BudgetLimits, 'usd' | 'tokens'> }) {
  const account: Account = openAccount();
  const pids = new Map<string, number>();
  let offset = 0;
  let rest = '';
  let warner: string | null = null;
  const fold = (line: Line) => {
    if ('reserve' in line) {
      pids.set(line.reserve, line.pid);
      reserve({ account, limits, id: line.reserve, amount: line });
      return;
    }
    settle({ account, id: line.settle, amount: line });
    if (warner === null && spentShare({ account, limits }) >= warningShare) warner = line.settle;
  };
  return {
    account,
    pids,
    /** Whose settling made the spending pass the warning share. */
    get warner() {
      return warner;
    },
    /** One `write` call in append mode: lines of several processes do not mix on a local disk. */
    append(line: Line) {
      const fd = openSync(path, 'a');
      try {
        writeSync(fd, `${JSON.stringify(line)}\n`);
      } finally {
        closeSync(fd);
      }
    },
    read() {
      const fd = openSync(path, 'r');
      try {
        const buffer = Buffer.alloc(64 * 1024);
        for (;;) {
          const size = readSync(fd, buffer, 0, buffer.length, offset);
          if (size === 0) break;
          offset += size;
          rest += buffer.toString('latin1', 0, size);
        }
      } finally {
        closeSync(fd);
      }
      const lines = rest.split('\n');
      rest = lines.pop()!;
      for (const text of lines) {
        const line = parseLine(text);
        if (line) fold(line);
      }
    },
  };
}

/** The header and a line that a dying process left torn are no lines: nobody acted on them. */
function parseLine(text: string): Line | null {
  try {
    const line = JSON.parse(text) as Line;
    return 'reserve' in line || 'settle' in line ? line : null;
  } catch {
    return null;
  }
}

function isProcessAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
