import type { Outcome } from '../core/outcome.ts';
import { totalTokens } from '../core/usage.ts';
import { type Interval, wilson } from '../stats/wilson.ts';
import type { Entry } from './entries.ts';

/** Passed ÷ planned. `share` and its 95 % interval weigh every task alike, however often it was repeated. */
export interface Rate {
  passed: number;
  planned: number;
  share: number;
  interval: Interval;
}

/** What a set of attempts came to. */
export interface Summary {
  rate: Rate;
  /** The same without what says nothing about the agent (DESIGN §7); null when there is nothing of the kind. */
  rateWithoutExcluded: Rate | null;
  outcomes: Partial<Record<Outcome, number>>;
  ungraded: number;
  stale: number;
  tokens: number;
  costUsd: number;
  /** Attempts whose cost is not in `costUsd`, because a price was unknown. */
  unpriced: number;
}

/** Attempts that may be counted together: replies from a recording or a script never share a rate with live ones. */
export interface Group {
  source: Entry['source'];
  entries: Entry[];
  summary: Summary;
}

const sources = ['live', 'mixed', 'replayed', 'scripted'] as const;

/** The entries of a run by where the model's replies came from, live first; only sources that occur. */
export function groupsOf(entries: readonly Entry[]): Group[] {
  return sources.flatMap(source => {
    const own = entries.filter(entry => entry.source === source);
    return own.length > 0 ? [{ source, entries: own, summary: summaryOf(own) }] : [];
  });
}

export function summaryOf(entries: readonly Entry[]): Summary {
  const attempts = entries.flatMap(({ attempt }) => (attempt ? [attempt] : []));
  const kept = entries.filter(({ excluded }) => excluded === null);
  const outcomes: Summary['outcomes'] = {};
  for (const { outcome } of entries) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  return {
    rate: rateOf(entries),
    rateWithoutExcluded: kept.length < entries.length ? rateOf(kept) : null,
    outcomes,
    ungraded: attempts.filter(({ ungraded }) => ungraded).length,
    stale: attempts.filter(({ stale }) => stale).length,
    tokens: attempts.flatMap(({ roles }) => roles).reduce((sum, { usage }) => sum + totalTokens(usage), 0),
    costUsd: attempts.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    unpriced: attempts.filter(({ costUsd }) => costUsd === null).length,
  };
}

/** The rate of each value of `key`, in order of first appearance. */
export function ratesBy({ entries, key }: { entries: readonly Entry[]; key: (entry: Entry) => string }): Map<string, Rate> {
  return new Map([...groupBy({ entries, key })].map(([value, own]) => [value, rateOf(own)]));
}

function rateOf(entries: readonly Entry[]): Rate {
  const passed = entries.filter(({ outcome }) => outcome === 'passed').length;
  // Repeats of a task are not independent: each task counts as the mean of its attempts, per project, since that is another agent.
  const tasks = [...groupBy({ entries, key: ({ test, taskId }) => `${test.project}\n${taskId}` }).values()];
  const solved = tasks.reduce((sum, own) => sum + own.filter(({ outcome }) => outcome === 'passed').length / own.length, 0);
  return {
    passed,
    planned: entries.length,
    share: tasks.length === 0 ? 0 : solved / tasks.length,
    interval: wilson({ successes: solved, total: tasks.length }),
  };
}

function groupBy({ entries, key }: { entries: readonly Entry[]; key: (entry: Entry) => string }): Map<string, Entry[]> {
  const groups = new Map<string, Entry[]>();
  for (const entry of entries) groups.set(key(entry), [...(groups.get(key(entry)) ?? []), entry]);
  return groups;
}
