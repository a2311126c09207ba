/** Limits in money, tokens and wall time; null = none. */
export interface BudgetLimits {
  usd: number | null;
  tokens: number | null;
  minutes: number | null;
}

/** Money and tokens of a call. `usd` is null when the price is unknown. */
export interface Amount {
  usd: number | null;
  tokens: number;
}

/** What is spent, and what is set aside for calls under way. Money in whole billionths of a dollar, so that sums are exact. */
export interface Account {
  readonly spent: { nanoUsd: number; tokens: number };
  readonly reserved: Map<string, { nanoUsd: number; tokens: number }>;
}

export function openAccount(): Account {
  return { spent: { nanoUsd: 0, tokens: 0 }, reserved: new Map() };
}

const nano = (usd: number | null) => Math.round((usd ?? 0) * 1e9);

/** The limit a further amount would break, or null. `counting` decides which reservations count as spent; all by default. */
export function brokenLimit({
  account: { spent, reserved },
  limits,
  amount,
  counting = () => true,
}: {
  account: Account;
  limits: Pick<BudgetLimits, 'usd' | 'tokens'>;
  amount: Amount;
  counting?: (id: string) => boolean;
}): 'usd' | 'tokens' | null {
  let { nanoUsd, tokens } = spent;
  for (const [id, held] of reserved) {
    if (!counting(id)) continue;
    nanoUsd += held.nanoUsd;
    tokens += held.tokens;
  }
  if (limits.usd !== null && nanoUsd + nano(amount.usd) > nano(limits.usd)) return 'usd';
  if (limits.tokens !== null && tokens + amount.tokens > limits.tokens) return 'tokens';
  return null;
}

/** Sets an amount aside if it fits. */
export function reserve({
  account,
  limits,
  id,
  amount,
}: {
  account: Account;
  limits: Pick<BudgetLimits, 'usd' | 'tokens'>;
  id: string;
  amount: Amount;
}): boolean {
  if (brokenLimit({ account, limits, amount })) return false;
  account.reserved.set(id, { nanoUsd: nano(amount.usd), tokens: amount.tokens });
  return true;
}

/** Replaces what was set aside by what was spent. An id that holds nothing changes nothing. */
export function settle({ account, id, amount }: { account: Account; id: string; amount: Amount }): void {
  if (!account.reserved.delete(id)) return;
  account.spent.nanoUsd += nano(amount.usd);
  account.spent.tokens += amount.tokens;
}

/** The largest share of a limit that is spent, 0 to 1 and more. */
export function spentShare({ account: { spent }, limits }: { account: Account; limits: Pick<BudgetLimits, 'usd' | 'tokens'> }): number {
  return Math.max(limits.usd ? spent.nanoUsd / nano(limits.usd) : 0, limits.tokens ? spent.tokens / limits.tokens : 0);
}

/** `$1.2345` */
export function shownUsd(nanoUsd: number): string {
  return `$${(nanoUsd / 1e9).toFixed(4)}`;
}
