import type { ExitInfo, LimitName } from '../core/exit.ts';

/** All bounds of one attempt. A bound of 0 or `null` is off; something always bounds an attempt, because `maxTurns` is finite by default. */
export interface Limits {
  /** Model turns (Webwright's `step_limit`). Refused and malformed turns count. */
  steps: number;
  timeMs: number;
  tokens: number | null;
  costUsd: number | null;
  /** Malformed replies in a row; a fork of Webwright uses 6 (webwright.md D2). */
  formatErrors: number;
  /** Turns in a row without action and without done (D3). */
  noActionTurns: number;
  /** Looks of the coach (DESIGN §6). */
  looks: number;
}

/** What has been used of the limits. */
export interface Spent {
  steps: number;
  timeMs: number;
  tokens: number;
  /** null: a price is unknown, so money cannot be bounded. */
  costUsd: number | null;
}

/**
 * The limit that is reached, or null. Checked before each turn.
 *
 * @example
 * reachedLimit({ limits, spent: { steps: 100, timeMs: 0, tokens: 0, costUsd: 0 } })?.limit; // 'steps' when limits.steps is 100
 */
export function reachedLimit({ limits, spent }: { limits: Limits; spent: Spent }): { limit: LimitName; detail: string } | null {
  if (limits.steps > 0 && spent.steps >= limits.steps) return { limit: 'steps', detail: `steps: ${spent.steps} of ${limits.steps}` };
  if (limits.timeMs > 0 && spent.timeMs >= limits.timeMs) return { limit: 'time', detail: `time: ${Math.round(limits.timeMs / 1000)} s` };
  if (limits.tokens !== null && spent.tokens >= limits.tokens)
    return { limit: 'tokens', detail: `tokens: ${spent.tokens} of ${limits.tokens}` };
  if (limits.costUsd !== null && spent.costUsd !== null && spent.costUsd >= limits.costUsd)
    return { limit: 'cost', detail: `cost: $${spent.costUsd.toFixed(4)} of $${limits.costUsd}` };
  return null;
}

/** Share of the nearest limit that is used, 0 to 1. */
export function usedShare({ limits, spent }: { limits: Limits; spent: Spent }): number {
  const shares = [
    limits.steps > 0 ? spent.steps / limits.steps : 0,
    limits.timeMs > 0 ? spent.timeMs / limits.timeMs : 0,
    limits.tokens ? spent.tokens / limits.tokens : 0,
    limits.costUsd && spent.costUsd !== null ? spent.costUsd / limits.costUsd : 0,
  ];
  return Math.min(1, Math.max(...shares));
}

/** The exit of an attempt that reached a limit. The last answer, if there was one, is kept. */
export function limitExit({ limit, detail, finalResponse = '' }: { limit: LimitName; detail: string; finalResponse?: string }): ExitInfo {
  return { exit_status: 'LimitsExceeded', submission: '', final_response: finalResponse, limit, detail };
}
