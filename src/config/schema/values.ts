import { z } from 'zod';

/** A whole number of at least 1. */
export const count = () => z.int().min(1);
/** Seconds, more than 0; fractions are allowed. */
export const seconds = () => z.number().positive();
/** A prompt template (nunjucks). */
export const template = () => z.string().min(1);

/**
 * A class that is named in the config: one of the shipped names, or an export of a module, as `./my-env.ts#MyEnv`
 * (relative to the folder the run was started in) or `my-package#MyEnv`.
 */
export function shippedOrModule(names: readonly [string, ...string[]]) {
  return z.union([z.enum(names), z.string().regex(/^[^#]+#[A-Za-z_$][\w$]*$/, `expected ${names.join(', ')} or module#Export`)]);
}
