import { readFileSync } from 'node:fs';
import { isMarked, type ProcessTree, processIds } from './kill-tree.ts';
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
    exceeded: tree => treeBytes({ tree, members }) > bytes,
  };
}

function treeBytes({ tree, members }: { tree: ProcessTree; members: Map<number, boolean> }): number {
  let total = 0;
  for (const id of processIds()) {
    let member = members.get(id);
    if (member === undefined) {
      member = groupOf(id) === tree.pid || isMarked({ id, marker: tree.marker, user: tree.user });
      members.set(id, member);
    }
    if (member) total += ownBytes(id);
  }
  return total;
}

function groupOf(id: number): number {
  const stat = read(`/proc/${id}/stat`);
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
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
