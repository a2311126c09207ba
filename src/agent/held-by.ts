import type { Environment } from '../core/environment.ts';
import type { Integrity } from '../core/integrity.ts';

/** What an environment says about how it holds the agent's code. */
export function heldBy(environment: Pick<Environment, 'serialize'>): { sandbox: string; integrity: Integrity } {
  const { sandbox = 'unknown', integrity } = environment.serialize();
  return { sandbox: String(sandbox), integrity: integrity === 'strong' || integrity === 'advisory' ? integrity : null };
}
