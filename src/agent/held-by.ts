import { type AllowGroup, allowGroups } from '../core/allow.ts';
import type { Environment } from '../core/environment.ts';
import type { Integrity } from '../core/integrity.ts';

/** What an environment says about how it holds the agent's code. */
export function heldBy(environment: Pick<Environment, 'serialize'>): { sandbox: string; integrity: Integrity } {
  const { sandbox = 'unknown', integrity } = environment.serialize();
  return { sandbox: String(sandbox), integrity: integrity === 'strong' || integrity === 'advisory' ? integrity : null };
}

/** What the author opened in the guard, and how many calls it refused. */
export function passedBy(environment: Pick<Environment, 'serialize'>): { allow: AllowGroup[]; refusals: number } {
  const { allow, refusals } = environment.serialize();
  const counts = (Array.isArray(refusals) ? refusals : []).map(({ count }: { count?: unknown }) => Number(count) || 0);
  return {
    allow: allowGroups.filter(group => Array.isArray(allow) && allow.includes(group)),
    refusals: counts.reduce((sum, count) => sum + count, 0),
  };
}
