import type { Box } from './box.ts';
import { limitArgs } from './limit-args.ts';

/** Programs of util-linux that change the user and set limits. */
export interface UserPrograms {
  setpriv: string;
  prlimit: string;
}

/**
 * Another, unprivileged user of this machine: the rung of a root user without namespaces. It holds what file modes hold: the worker, its memory,
 * other processes, files that are not everybody's (reliability.md §2.8).
 */
export function uidBox({ user, programs }: { user: number; programs: UserPrograms }): Box {
  return {
    rung: 'uid',
    user,
    describe: () => `uid of its own; NOT protected: files that every user may read or write, the list of processes, network of the host`,
    wrap: ({ limits }) => [
      ...dropArgs({ setpriv: programs.setpriv, user }),
      '--pdeathsig=KILL',
      '--',
      ...limitArgs({ prlimit: programs.prlimit, limits, tasks: true }),
    ],
  };
}

/** Arguments of `setpriv` that leave nothing of root behind: no group, no capability, no way back through a setuid program. */
export function dropArgs({ setpriv, user }: { setpriv: string; user: number }): string[] {
  const ids = [`--reuid=${user}`, `--regid=${user}`, '--clear-groups'];
  return [setpriv, ...ids, '--inh-caps=-all', '--bounding-set=-all', '--no-new-privs'];
}

let last = 0;

/**
 * An id for the commands of one box: from the range that systemd keeps for passing users (61184–65519, `DynamicUser`), another one for every
 * worker and box, so that boxes do not own each other's files and the limit on processes counts theirs only.
 */
export function passingUser(): number {
  last += 1;
  return 61_184 + ((process.pid * 7 + last) % 4_336);
}
