import { ModelCallError } from '../core/errors.ts';
import {
  type Account,
  type Amount,
  type BudgetLimits,
  brokenLimit,
  openAccount,
  reserve,
  settle,
  shownUsd,
  spentShare,
} from './budget-account.ts';

export type { Amount, BudgetLimits } from './budget-account.ts';

/** Whose budget it is: an attempt ends at its own limit; one cut by the suite's is `skipped: budget`. */
export type BudgetScope = 'attempt' | 'suite';

/** The budget has no room for the worst case of a call. The call was not made. */
export class BudgetError extends ModelCallError {
  readonly scope: BudgetScope;
  readonly limit: keyof BudgetLimits;

  constructor({ scope, limit, seen }: { scope: BudgetScope; limit: keyof BudgetLimits; seen: string }) {
    super({
      failure: 'budget',
      what: scope === 'attempt' ? `The attempt's budget (budget.${limit}) is used up` : `The suite's budget (${limit}) is used up`,
      seen,
      remedy: scope === 'attempt' ? `raise budget.${limit}, or set it to null` : `raise the suite's ${limit} budget, or run fewer tasks`,
    });
    this.scope = scope;
    this.limit = limit;
  }
}

/** Room set aside for one call. */
export interface Reservation {
  /** What the call came to; what is left over is free again. Later calls change nothing. */
  settle(amount: Amount): void;
}

/** Something that calls are paid from. */
export interface Budget {
  /** Sets the worst case of a call aside. Throws {@link BudgetError} when there is no room. */
  reserve(worst: Amount, options: { signal: AbortSignal }): Promise<Reservation>;
}

/** At this share of a limit a warning is given, once. */
export const warningShare = 0.75;

/**
 * The budget of one attempt, in memory. Every call sets its worst case aside first, so the limit is never passed. A
 * model whose price is unknown cannot be held to a money limit; tokens and minutes still hold.
 *
 * @example
 * const budget = attemptBudget({ limits: { usd: 5, tokens: null, minutes: 30 }, now: () => performance.now(), onWarning: console.warn });
 */
export function attemptBudget({
  limits,
  now,
  onWarning,
}: {
  limits: BudgetLimits;
  now: () => number;
  onWarning: (text: string) => void;
}): Budget {
  const account = openAccount();
  const startedAt = now();
  let calls = 0;
  let warned = false;
  return {
    async reserve(worst) {
      const minutes = (now() - startedAt) / 60_000;
      if (limits.minutes !== null && minutes >= limits.minutes) {
        throw new BudgetError({ scope: 'attempt', limit: 'minutes', seen: `${minutes.toFixed(1)} of ${limits.minutes} minutes` });
      }
      const id = String(++calls);
      if (!reserve({ account, limits, id, amount: worst })) throw budgetError({ scope: 'attempt', account, limits, amount: worst });
      return {
        settle(amount) {
          settle({ account, id, amount });
          if (warned || spentShare({ account, limits }) < warningShare) return;
          warned = true;
          onWarning(`budget of the attempt: ${spentSoFar({ account, limits })}`);
        },
      };
    },
  };
}

/** The error for an amount that does not fit. */
export function budgetError({
  scope,
  account,
  limits,
  amount,
}: {
  scope: BudgetScope;
  account: Account;
  limits: Pick<BudgetLimits, 'usd' | 'tokens'>;
  amount: Amount;
}): BudgetError {
  const limit = brokenLimit({ account, limits, amount }) ?? 'tokens';
  const call = limit === 'usd' ? shownUsd((amount.usd ?? 0) * 1e9) : `${amount.tokens} tokens`;
  return new BudgetError({ scope, limit, seen: `${spentSoFar({ account, limits })}; this call may take up to ${call}` });
}

/** `spent $1.2000 of $5, 80000 of 100000 tokens, 2 calls under way` */
export function spentSoFar({
  account: { spent, reserved },
  limits,
}: {
  account: Account;
  limits: Pick<BudgetLimits, 'usd' | 'tokens'>;
}): string {
  return [
    limits.usd !== null && `${shownUsd(spent.nanoUsd)} of $${limits.usd}`,
    limits.tokens !== null && `${spent.tokens} of ${limits.tokens} tokens`,
    reserved.size > 0 && `${reserved.size} calls under way`,
  ]
    .filter(Boolean)
    .join(', ');
}
