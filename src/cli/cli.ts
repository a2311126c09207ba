import { WebwrightError } from '../core/errors.ts';
import { findVerb, printVerb } from './help.ts';
import { parseFlags } from './parse-flags.ts';
import { type ExitCode, exitCodes, type Io } from './verb.ts';

/**
 * The command: runs one verb and returns the exit code. Errors a user can meet are shown without a stack trace.
 *
 * @example
 * process.exitCode = await runCli({ argv: process.argv.slice(2), io });
 */
export async function runCli({ argv, io }: { argv: string[]; io: Io }): Promise<ExitCode> {
  try {
    const [first = 'help', ...args] = argv;
    const name = first === '-h' || first === '--help' ? 'help' : first;
    const verb = await findVerb(name);
    const { flags, positionals } = parseFlags({ verb: name, args, flags: verb.flags, positionals: verb.positionals });
    if (flags['help'] !== true) return await verb.run({ flags, positionals, io });
    printVerb({ name, verb, io });
    return exitCodes.ok;
  } catch (error) {
    if (io.signal.aborted) return exitCodes.interrupted;
    io.warn(
      error instanceof WebwrightError ? error.message : `Unexpected error, please report it:\n${(error as Error).stack ?? String(error)}`,
    );
    return error instanceof WebwrightError && isUsersInput(error) ? exitCodes.usage : exitCodes.errored;
  }
}

function isUsersInput({ code }: WebwrightError): boolean {
  return code === 'CONFIG_INVALID' || code === 'TASK_INVALID';
}
