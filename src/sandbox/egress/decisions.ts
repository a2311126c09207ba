import { type Target, targetText } from './target.ts';

const maxHosts = 500;
const shownHosts = 6;

/** Decisions about one host, by name and port only: no path, no query, which may carry data. */
export interface HostDecisions {
  host: string;
  allowed: number;
  refused: number;
  /** Of the last refusal. */
  reason?: string;
}

/** What the proxy decided in one attempt, in bounded memory. */
export interface DecisionLog {
  add(target: Target, refusal: string | null): void;
  /** Refusals since the last call, one line a host, for an observation. */
  takeRefusals(): string[];
  hosts(): HostDecisions[];
}

export function createDecisionLog(): DecisionLog {
  const hosts = new Map<string, HostDecisions>();
  let fresh = new Map<string, string>();
  return {
    add(target, reason) {
      const text = targetText(target);
      const host = hosts.has(text) || hosts.size < maxHosts ? text : '(others)';
      const entry = hosts.get(host) ?? { host, allowed: 0, refused: 0 };
      hosts.set(host, entry);
      if (reason === null) entry.allowed += 1;
      else {
        entry.refused += 1;
        entry.reason = reason;
        if (fresh.size < maxHosts) fresh.set(text, reason);
      }
    },
    takeRefusals() {
      const all = [...fresh];
      fresh = new Map();
      const lines = all.slice(0, shownHosts).map(([host, reason]) => `Refused by the egress policy: ${host}: ${reason}.`);
      return all.length > shownHosts ? [...lines, `Refused by the egress policy: ${all.length - shownHosts} more hosts.`] : lines;
    },
    hosts: () => [...hosts.values()].map(entry => ({ ...entry })),
  };
}
