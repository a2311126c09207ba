import { readdirSync, readFileSync } from 'node:fs';
import { markerName } from './kill-tree.ts';
import type { LimitCheck } from './run-command.ts';

/**
 * A limit on the memory of a whole command: what all its processes have to themselves (anonymous and shared-memory pages; code and files
 * that they share are not counted twice). It is polled, since no ordinary user has a limit for a tree (reliability.md §2.3).
 */
export function memoryLimit({ bytes, everyMs = 500 }: { bytes: number; everyMs?: number }): LimitCheck {
  const members = new Map<number, boolean>();
  return {
    end: 'memory-limit',
    everyMs,
    exceeded: ({ pid, marker }) => treeBytes({ pid, marker, members }) > bytes,
  };
}

function treeBytes({ pid, marker, members }: { pid: number; marker: string; members: Map<number, boolean> }): number {
  let total = 0;
  for (const id of processIds()) {
    let member = members.get(id);
    if (member === undefined) {
      member = belongs({ id, pid, marker });
      members.set(id, member);
    }
    if (member) total += ownBytes(id);
  }
  return total;
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number);
}

function belongs({ id, pid, marker }: { id: number; pid: number; marker: string }): boolean {
  const stat = read(`/proc/${id}/stat`);
  const group = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  return group === pid || read(`/proc/${id}/environ`).includes(`${markerName}=${marker}\0`);
}

function ownBytes(id: number): number {
  const status = read(`/proc/${id}/status`);
  const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  return (kilobytes('RssAnon') + kilobytes('RssShmem')) * 1024;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
