import type { Observation } from '../core/environment.ts';
import { prunableOf } from './prunable.ts';

/** `extra` of an observation message: the observation itself, and what the view may leave out or must keep. */
export function observationExtra({ success, exception, fields: { prunable, base_step, ...fields } }: Observation): Record<string, unknown> {
  const bulky = prunableOf({ prunable, output: fields['output'], returned: fields['return_value'] });
  return {
    observation: { success, exception, ...fields },
    ...(bulky.length > 0 ? { prunable: bulky } : {}),
    ...(base_step === undefined ? {} : { base_step }),
  };
}
