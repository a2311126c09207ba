import { writeFileSync } from 'node:fs';
import { WebwrightError } from '../core/errors.ts';
import { cleanBytes } from './clean-text.ts';
import { findProgram } from './find-program.ts';
import { markerName } from './kill-tree.ts';
import { runCommand } from './run-command.ts';

/**
 * The bash on the search path. Error SANDBOX when there is none (reliability.md C18).
 *
 * @example
 * findBash({ searchPath: process.env.PATH ?? '' }); // '/usr/bin/bash'
 */
export function findBash({ searchPath }: { searchPath: string }): string {
  const found = findProgram({ name: 'bash', searchPath });
  if (found) return found;
  throw new WebwrightError({
    code: 'SANDBOX',
    what: 'The workspace environment needs bash, and there is none',
    seen: `PATH=${searchPath || '(empty)'}`,
    remedy: 'install bash (Debian: apt-get install bash), or run the task in the live environment',
  });
}

/**
 * Arguments that make bash run a script file with stdout and stderr as one real pipe, in the order in which things were written. Node hands
 * out sockets, on which `/dev/stdout` and `tee /dev/stderr` fail; the `cat` between stands outside the command's session and
 * marker, so that it can deliver what was written before the command's tree was killed.
 */
export function bashFileArgs({
  bash,
  file,
  wrap = [],
  user = null,
}: {
  bash: string;
  file: string;
  /** Of a box: what is put before the command, and the user it runs as, who must be able to open its own output again. */
  wrap?: readonly string[];
  user?: number | null;
}): string[] {
  // The commands between run outside the box: they must not be looked up in folders that the box can write.
  const pipe = `exec > >(PATH=/usr/bin:/bin; exec env -u ${markerName} setsid cat) 2>&1`;
  const give = user === null ? '' : `(PATH=/usr/bin:/bin; exec chown ${user} /dev/fd/1); `;
  return ['-c', `${pipe}; ${give}exec "$@"`, bash, ...wrap, bash, file];
}

/**
 * Why a script cannot be a bash script, in words for its author, or null. Nothing of it is executed. A NUL byte is refused, and
 * so is a here-document without its end, which bash itself only warns about: it is how a reply that was cut off looks.
 */
export async function bashSyntaxError({
  bash,
  script,
  file,
  signal = AbortSignal.timeout(5_000),
}: {
  bash: string;
  script: string;
  /** Where the script is put for the check; overwritten. */
  file: string;
  signal?: AbortSignal;
}): Promise<string | null> {
  if (script.includes('\0')) return 'the command contains a NUL character, which no shell can run; write it as \\0 or \\x00';
  writeFileSync(file, bashSource(script), { mode: 0o600 });
  const result = await runCommand({
    command: bash,
    args: ['-n', file],
    cwd: '/',
    env: { LANG: 'C.UTF-8' },
    timeoutMs: 5_000,
    outputKillBytes: 1_000_000,
    keepBytes: 8_000,
    signal,
  });
  const text = cleanBytes(result.output.head).replaceAll(`${file}: `, '').trim();
  if (result.end !== 'exit') return `the command could not be checked: ${result.failure ?? result.end}`;
  if (result.code !== 0) return text || `bash -n ended with code ${result.code}`;
  return /here-document .* delimited by end-of-file/.test(text) ? text : null;
}

/** A command as it goes into a file: line ends `\n`, one at the end. */
export function bashSource(script: string): string {
  return `${script.replace(/\r\n?/g, '\n').replace(/\n*$/, '')}\n`;
}
