import { parseArgs } from 'node:util';
import { didYouMean } from '../config/did-you-mean.ts';
import { WebwrightError } from '../core/errors.ts';
import type { FlagConfig, FlagValues } from './verb.ts';

/** The command line was not understood; exit code 2. */
export class UsageError extends WebwrightError {
  constructor(lines: { what: string; seen: string; remedy: string }) {
    super({ code: 'CONFIG_INVALID', ...lines });
  }
}

/**
 * Flags and arguments of a verb. `-h` and `--help` are always known.
 *
 * @throws UsageError for an unknown flag, with the one that was meant, and for a flag without its value.
 */
export function parseFlags({
  verb,
  args,
  flags,
  positionals: { min, max },
}: {
  verb: string;
  args: string[];
  flags: FlagConfig;
  positionals: { min: number; max: number };
}): { flags: FlagValues; positionals: string[] } {
  const options: FlagConfig = { ...flags, help: { type: 'boolean', short: 'h' } };
  const help = `webwright ${verb} --help`;
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== 'option') continue;
    const known = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (!known) {
      const near = didYouMean(token.name, Object.keys(options));
      throw new UsageError({
        what: `Unknown flag of webwright ${verb}`,
        seen: token.rawName,
        remedy: near ? `did you mean --${near}?` : help,
      });
    }
    if (known.type === 'string' && token.value === undefined) {
      throw new UsageError({ what: `${token.rawName} needs a value`, seen: token.rawName, remedy: help });
    }
    if (known.type === 'boolean' && token.value !== undefined) {
      throw new UsageError({ what: `${token.rawName} takes no value`, seen: `${token.rawName}=${token.value}`, remedy: help });
    }
  }
  const parsed = parseArgs({ args, options, allowPositionals: true, strict: true });
  const { length } = parsed.positionals;
  if (parsed.values['help'] !== true && (length < min || length > max)) {
    const seen = length === 0 ? 'nothing' : parsed.positionals.join(' ');
    throw new UsageError({
      what: length < min ? `webwright ${verb} needs an argument` : `webwright ${verb} takes fewer arguments`,
      seen,
      remedy: help,
    });
  }
  return { flags: parsed.values as FlagValues, positionals: parsed.positionals };
}
