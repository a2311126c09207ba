import { EnvironmentFault } from '../core/environment.ts';
import { ModelCallError, WebwrightError } from '../core/errors.ts';
import type { ExitInfo } from '../core/exit.ts';
import { BudgetError } from '../models/budget.ts';
import { limitExit } from './limits.ts';

/**
 * The exit of an attempt that something threw out of. A budget that ran out is a limit; an endpoint that could not be reached
 * says nothing about the agent; whatever is unknown counts as an interruption, never as a pass.
 */
export function exitOfError({ error, timedOut, aborted }: { error: unknown; timedOut: boolean; aborted: boolean }): ExitInfo {
  const detail = error instanceof Error ? error.message : String(error);
  const exit = (exit_status: ExitInfo['exit_status'], extra: Partial<ExitInfo> = {}): ExitInfo => ({
    exit_status,
    submission: '',
    final_response: '',
    detail,
    ...extra,
  });

  if (timedOut) return limitExit({ limit: 'time', detail: 'time: the attempt ran out of its wall time' });
  if (aborted) return exit('Interrupted');
  if (error instanceof ModelCallError) {
    if (error instanceof BudgetError) {
      const limit = { usd: 'cost', tokens: 'tokens', minutes: 'time' } as const;
      return { ...limitExit({ limit: limit[error.limit], detail }), ...(error.scope === 'suite' ? { skipped: 'budget' } : {}) };
    }
    return exit('ModelError', { unreachable: ['unreachable', 'rate-limit', 'deadline'].includes(error.failure) });
  }
  if (
    error instanceof EnvironmentFault ||
    (error instanceof WebwrightError && ['START_URL', 'BROWSER', 'SANDBOX', 'PLATFORM'].includes(error.code))
  )
    return exit('EnvironmentError');
  return exit('Interrupted');
}
