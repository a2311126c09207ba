import type { ParseArgsConfig } from 'node:util';
import { WebwrightError } from '../core/errors.ts';

/** What a verb touches of the world; injected in tests. */
export interface Io {
  /** One line to standard output. */
  print: (line: string) => void;
  /** One line to standard error. */
  warn: (line: string) => void;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  packageRoot: string;
  signal: AbortSignal;
}

/** Exit codes of the command. A limit, an error and a missing verdict are never 0. */
export const exitCodes = {
  ok: 0,
  /** The work was judged and is not done; or `doctor` found something needed missing. */
  failed: 1,
  /** Unknown verb or flag, or a config or task that is not valid. */
  usage: 2,
  limit: 3,
  gaveUp: 4,
  /** Environment, model or harness. */
  errored: 5,
  /** No verdict could be had. */
  unscored: 6,
  interrupted: 130,
} as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

export type FlagConfig = NonNullable<ParseArgsConfig['options']>;
export type FlagValues = Record<string, string | boolean | (string | boolean)[] | undefined>;

/** One word of the command line, in a file of its own. */
export interface Verb {
  /** One line for `webwright help`. */
  summary: string;
  /** What follows the verb, e.g. `<run folder> [-o FILE]`. */
  usage: string;
  /** Lines that explain the flags. */
  details: string[];
  flags: FlagConfig;
  /** How many arguments that are no flags it takes. */
  positionals: { min: number; max: number };
  run: (options: { flags: FlagValues; positionals: string[]; io: Io }) => Promise<ExitCode>;
}

/** A flag that may be repeated, as a list. */
export function listFlag(value: FlagValues[string]): string[] {
  return (Array.isArray(value) ? value : value === undefined ? [] : [value]).map(String);
}

/** A flag that takes a whole number from 1; undefined where it is not given. @throws WebwrightError CONFIG_INVALID for anything else. */
export function countFlag({ flags, name }: { flags: FlagValues; name: string }): number | undefined {
  const text = textFlag(flags[name]);
  if (text === undefined) return undefined;
  if (/^[1-9]\d{0,6}$/.test(text)) return Number(text);
  throw new WebwrightError({ code: 'CONFIG_INVALID', what: `--${name} takes a whole number from 1`, seen: text, remedy: `--${name} 2` });
}

/** A flag that takes one value. */
export function textFlag(value: FlagValues[string]): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
