import type { AttemptResult, RoleUsage } from '../core/attempt-result.ts';
import type { ModelReply, ModelRole } from '../core/model.ts';
import { addUsage, noUsage, type Usage } from '../core/usage.ts';

/** What one call used. `costUsd` is null when its price is unknown. */
export interface LedgerEntry {
  role: ModelRole;
  usage: Usage;
  costUsd: number | null;
  durationMs: number;
  source: ModelReply['source'];
}

/** Totals over all roles. */
export type LedgerTotal = Omit<RoleUsage, 'role'>;

/** Every model call of an attempt by what it was for. */
export interface Ledger {
  add(entry: LedgerEntry): void;
  /** Roles that were used, in a fixed order. */
  roles(): RoleUsage[];
  total(): LedgerTotal;
  /** Where the replies came from; null before the first call. */
  source(): AttemptResult['source'] | null;
}

const order: readonly ModelRole[] = ['agent', 'coach', 'grader', 'critical-points', 'image-qa', 'compaction'];

/**
 * An empty ledger. One unknown price makes the sum it is part of unknown: it is never taken for 0.
 *
 * @example
 * const ledger = createLedger();
 * ledger.add({ role: 'agent', ...reply });
 * ledger.total().costUsd; // null when a price was unknown
 */
export function createLedger(): Ledger {
  const byRole = new Map<ModelRole, RoleUsage>();
  const sources = new Set<ModelReply['source']>();
  const roles = () => order.flatMap(role => byRole.get(role) ?? []);
  return {
    add({ role, usage, costUsd, durationMs, source }) {
      sources.add(source);
      byRole.set(role, sum(byRole.get(role) ?? { role, ...nothing }, { role, calls: 1, usage, costUsd, durationMs }));
    },
    roles,
    total() {
      const { role: _, ...total } = roles().reduce(sum, { role: 'agent', ...nothing });
      return total;
    },
    source: () => (sources.size > 1 ? 'mixed' : ([...sources][0] ?? null)),
  };
}

/** The roles of many attempts added up, for a run. */
export function sumRoles(attempts: readonly (readonly RoleUsage[])[]): RoleUsage[] {
  const all = attempts.flat();
  return order.flatMap(role => {
    const used = all.filter(entry => entry.role === role);
    return used.length === 0 ? [] : [used.reduce(sum, { role, ...nothing })];
  });
}

const nothing: LedgerTotal = { calls: 0, usage: noUsage, costUsd: 0, durationMs: 0 };

function sum(a: RoleUsage, b: RoleUsage): RoleUsage {
  return {
    role: a.role,
    calls: a.calls + b.calls,
    usage: addUsage(a.usage, b.usage),
    costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
    durationMs: a.durationMs + b.durationMs,
  };
}
