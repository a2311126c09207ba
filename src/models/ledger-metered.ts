import { ModelCallError } from '../core/errors.ts';
import type { Model, ModelReply, ModelRequest, ModelRole } from '../core/model.ts';
import { totalTokens } from '../core/usage.ts';
import type { Amount, Budget, Reservation } from './budget.ts';
import { promptBound } from './budget-estimate.ts';
import type { Ledger } from './ledger.ts';
import type { PriceOf } from './prices.ts';

export interface MeteredOptions {
  model: Model;
  ledger: Ledger;
  /** Each call must fit into all of them. */
  budgets?: readonly Budget[];
  /** For the worst case of a call, and for replies that were lost but billed. */
  priceOf?: PriceOf;
  /** Output limit of a call that names none. */
  maxOutputTokens?: number;
  now?: () => number;
}

/**
 * A model whose calls are paid from budgets and entered in a ledger. The worst case of a call is its whole prompt uncached and
 * all the output it may have, for one HTTP attempt. A replayed call costs a budget nothing.
 *
 * @example
 * const model = metered({ model: endpoint, ledger, budgets: [attempt, suite], priceOf: priceOf(prices), maxOutputTokens: 16_000 });
 */
export function metered({
  model,
  ledger,
  budgets = [],
  priceOf = () => null,
  maxOutputTokens = 0,
  now = () => performance.now(),
}: MeteredOptions): Model {
  const bounds = new Map<ModelRole, ReturnType<typeof promptBound>>();
  const boundOf = (role: ModelRole) => {
    const bound = bounds.get(role) ?? promptBound();
    bounds.set(role, bound);
    return bound;
  };

  const worstCase = (request: ModelRequest): Amount => {
    // A recording spends nothing; one that also records has the live model's provider.
    if (model.provider === 'recorded') return { usd: 0, tokens: 0 };
    const inputTokens = boundOf(request.role).bound(request);
    const outputTokens = request.maxOutputTokens ?? maxOutputTokens;
    const base = { inputTokens, outputTokens, cachedInputTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 };
    const prices = [priceOf(model.name, base), priceOf(model.name, { ...base, cacheWriteTokens: inputTokens })].filter(usd => usd !== null);
    const unknown = model.provider === 'scripted' ? 0 : null;
    return { usd: prices.length > 0 ? Math.max(...prices) : unknown, tokens: inputTokens + outputTokens };
  };

  const spentBy = ({ reply, worst }: { reply: ModelReply; worst: Amount }): Amount =>
    reply.source === 'replayed' ? { usd: 0, tokens: 0 } : { usd: reply.costUsd ?? worst.usd, tokens: totalTokens(reply.usage) };

  return {
    name: model.name,
    provider: model.provider,
    async complete(request) {
      const worst = worstCase(request);
      const reservations: Reservation[] = [];
      const settleAll = (amount: Amount) => {
        for (const reservation of reservations) reservation.settle(amount);
      };
      try {
        for (const budget of budgets) reservations.push(await budget.reserve(worst, { signal: request.signal }));
      } catch (error) {
        settleAll({ usd: 0, tokens: 0 });
        throw error;
      }
      const startedAt = now();
      try {
        const reply = await model.complete(request);
        settleAll(spentBy({ reply, worst }));
        ledger.add({ role: request.role, ...reply });
        if (reply.source !== 'replayed') boundOf(request.role).settled(request, reply.usage.inputTokens);
        return reply;
      } catch (error) {
        const lost = error instanceof ModelCallError ? error : null;
        if (lost && (lost.attempts > 0 || totalTokens(lost.usage) > 0)) {
          const costUsd = totalTokens(lost.usage) === 0 ? 0 : priceOf(model.name, lost.usage);
          settleAll({ usd: costUsd ?? worst.usd, tokens: totalTokens(lost.usage) });
          ledger.add({ role: request.role, usage: lost.usage, costUsd, durationMs: now() - startedAt, source: 'live' });
        } else settleAll(lost ? { usd: 0, tokens: 0 } : worst);
        throw error;
      }
    },
  };
}
