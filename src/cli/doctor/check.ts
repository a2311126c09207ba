import type { Config } from '../../config/schema/index.ts';
import type { Io } from '../verb.ts';

/** What one check found. `missing` makes `doctor` fail; `optional` is missing too, but this configuration does not need it. */
export interface Finding {
  status: 'ok' | 'missing' | 'optional';
  detail: string;
  /** What to type; absent when nothing is wrong. */
  remedy?: string;
}

export interface CheckContext {
  config: Config;
  io: Io;
}

/** One thing that must be there, by name. It never throws for what is missing. */
export interface Check {
  name: string;
  check: (context: CheckContext) => Promise<Finding>;
}

export const ok = (detail: string): Finding => ({ status: 'ok', detail });
export const missing = (detail: string, remedy: string): Finding => ({ status: 'missing', detail, remedy });
export const optional = (detail: string, remedy: string): Finding => ({ status: 'optional', detail, remedy });

/** `missing` where it is needed, else `optional`. */
export function missingIf(needed: boolean): typeof missing {
  return needed ? missing : optional;
}
