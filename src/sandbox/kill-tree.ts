import { readdirSync, readFileSync } from 'node:fs';

/** The environment variable by which descendants of a command are recognised after they have left its process group. */
export const markerName = 'WEBWRIGHT_PROCESS_TREE';

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
 * Processes whose environment carries the marker, by id. Finds what `setsid` and `nohup` hid from the group; `env -i setsid`
 * escapes it, for which only a process namespace helps (reliability.md §2.9). Linux only: elsewhere the list is empty.
 */
export function markedProcesses({ marker, procFolder = '/proc' }: { marker: string; procFolder?: string }): number[] {
  const entry = Buffer.from(`${markerName}=${marker}\0`);
  return listed(procFolder).filter(id => id !== process.pid && environmentOf(`${procFolder}/${id}/environ`)?.includes(entry));
}

/**
 * Ends a process group and everything that carries its marker, with SIGKILL, until nothing is found any more (at most ten
 * rounds: a fork bomb can outrun a sweep). Returns the ids of the stragglers that had left the group.
 */
export function killTree({ pid, marker }: { pid: number; marker: string }): number[] {
  signalGroup({ pid, signal: 'SIGKILL' });
  const stragglers = new Set<number>();
  for (let round = 0; round < 10; round += 1) {
    const found = markedProcesses({ marker }).filter(id => id !== pid);
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

function listed(procFolder: string): number[] {
  try {
    return readdirSync(procFolder)
      .filter(name => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function environmentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined; // ended, or another user's
  }
}
