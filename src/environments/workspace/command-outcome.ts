import { constants } from 'node:os';
import type { CommandResult } from '../../sandbox/run-command.ts';
import type { WorkspaceLimits } from './options.ts';

/** Return code as a shell would tell it: 128 + signal number when a signal ended it; null when the harness ended it or it never ran. */
export function returncodeOf({ end, code, signal }: Pick<CommandResult, 'end' | 'code' | 'signal'>): number | null {
  if (end !== 'exit') return null;
  return code ?? 128 + (signal ? constants.signals[signal] : 0);
}

/** What ended a command besides its own exit code, in words for the model; empty when nothing did (reliability.md C17). */
export function exceptionOf(result: CommandResult, limits: WorkspaceLimits): string {
  switch (result.end) {
    case 'time-limit':
      return `time limit: the command ran longer than ${limits.commandTimeoutMs / 1000} s and was ended, with everything it had started. Do less in one command, or wait for something that happens.`;
    case 'output-limit':
      return `output limit: the command printed more than ${megabytes(limits.outputKillBytes)} MB and was ended. Print less, or write to a file and look at parts of it.`;
    case 'memory-limit':
      return `memory limit: the processes of the command had more than ${megabytes(limits.memoryBytes)} MB together and were ended. Read and keep less at a time.`;
    case 'disk-limit':
      return `disk limit: the workspace has more than ${megabytes(limits.diskBytes)} MB or ${limits.diskEntries} files, and the command was ended. Remove what is not needed.`;
    case 'aborted':
      return 'the attempt ended while the command ran; it was ended too';
    case 'not-started':
      return `the command could not be started: ${result.failure ?? 'unknown reason'}`;
    case 'exit':
      if (returncodeOf(result) === 128 + constants.signals.SIGXFSZ)
        return `file limit: a file grew beyond ${megabytes(limits.fileBytes)} MB, and its writer was ended.`;
      return result.signal ? `the shell was ended by ${result.signal}, not by the harness` : '';
  }
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1e5) / 10;
}
