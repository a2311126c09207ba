import { readdirSync, readFileSync, statSync } from 'node:fs';

/** The environment variable by which descendants of a command are recognised after they have left its process group. */
export const markerName = 'WEBWRIGHT_PROCESS_TREE';

/** What belongs to a command. */
export interface ProcessTree {
  /** Leader of its process group. */
  pid: number;
  /** Value of {@link markerName} in the environment of its processes. */
  marker: string;
  /** The user of its box, when that is one of its own. */
  user: number | null;
}

/** Sends a signal to a whole process group; false when it no longer exists. */
export function signalGroup({ pid, signal }: { pid: number; signal: NodeJS.Signals }): boolean {
  try {
    process.kill(-pid, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether a process has the marker or the user of a tree. The marker finds what `setsid` and `nohup` hid from the group; `env -i setsid`
 * escapes it, which only another user or a process namespace sees (reliability.md §2.9).
 */
export function isMarked({ id, marker, user }: { id: number; marker: string | null; user: number | null }): boolean {
  try {
    if (user !== null && statSync(`/proc/${id}`).uid === user) return true;
    return marker !== null && readFileSync(`/proc/${id}/environ`).includes(`${markerName}=${marker}\0`);
  } catch {
    return false; // ended, or another user's
  }
}

/** Numbers of all processes; Linux only: elsewhere the list is empty. */
export function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/**
 * Ends a process group and everything that carries its marker or runs as its user, with SIGKILL, until nothing is found any more (at most ten
 * rounds: a fork bomb can outrun a sweep). Returns the ids of the stragglers that had left the group.
 */
export function killTree({ pid, marker, user }: ProcessTree): number[] {
  signalGroup({ pid, signal: 'SIGKILL' });
  return sweep(id => id !== pid && isMarked({ id, marker, user }));
}

/** Ends everything that runs as the user of a box. */
export function killUser(user: number): void {
  sweep(id => isMarked({ id, marker: null, user }));
}

function sweep(belongs: (id: number) => boolean): number[] {
  const stragglers = new Set<number>();
  for (let round = 0; round < 10; round += 1) {
    const found = processIds().filter(id => id !== process.pid && belongs(id));
    if (found.length === 0) break;
    for (const id of found) {
      try {
        process.kill(id, 'SIGKILL');
        stragglers.add(id);
      } catch {
        // it ended by itself in between
      }
    }
  }
  return [...stragglers];
}
