import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { runCommand } from '../run-command.ts';

/** Programs of util-linux that make and enter a namespace. */
export interface NamespacePrograms {
  unshare: string;
  nsenter: string;
}

/** `nobody`, as boxes see their user. */
export const insideUser = 65_534;

/**
 * A user namespace for boxes of a root worker, in which the limit on processes is real: the kernel exempts root from it, so commands must be
 * another user (reliability.md §2.3), while the box must be made by one who may enter every folder on the way to the workspace. Here root is
 * root without a right outside, `nobody` is `user`, and no further user namespace can be made. It lives as long as this process.
 *
 * Returns a path for `nsenter --user=`. Throws what the programs say.
 */
export async function makeUserNamespace({ user, programs }: { user: number; programs: NamespacePrograms }): Promise<string> {
  const holder = spawn(programs.unshare, ['--user', '/bin/sh', '-c', 'echo made; read line'], { stdio: ['pipe', 'pipe', 'pipe'], env: {} });
  try {
    const said = once(holder.stdout, 'data');
    said.catch(() => {});
    let complaint = '';
    holder.stderr.on('data', chunk => {
      complaint += String(chunk);
    });
    const failed = new Promise<never>((_, reject) => {
      holder.once('error', reject);
      holder.once('close', () => reject(new Error(complaint || 'unshare ended')));
    });
    failed.catch(() => {});
    await Promise.race([said, failed]);
    const namespace = openSync(`/proc/${holder.pid}/ns/user`, 'r');
    for (const kind of ['gid', 'uid'] as const) {
      const map = swapped({ map: readFileSync(`/proc/self/${kind}_map`, 'utf8'), one: insideUser, other: user });
      writeFileSync(`/proc/${holder.pid}/${kind}_map`, map);
    }
    const path = `/proc/${process.pid}/fd/${namespace}`;
    await forbidMore({ path, nsenter: programs.nsenter });
    return path;
  } finally {
    holder.kill('SIGKILL');
  }
}

async function forbidMore({ path, nsenter }: { path: string; nsenter: string }): Promise<void> {
  const result = await runCommand({
    command: nsenter,
    args: [`--user=${path}`, '--', '/bin/sh', '-c', 'echo 0 > /proc/sys/user/max_user_namespaces'],
    cwd: '/',
    env: {},
    timeoutMs: 5_000,
    outputKillBytes: 10_000,
    keepBytes: 1_000,
    signal: AbortSignal.timeout(6_000),
  });
  if (result.code !== 0) throw new Error(`user namespaces could not be closed: ${result.failure ?? result.output.head.toString().trim()}`);
}

/**
 * An id map of a namespace below ours in which everybody has the number that they have here, but for two who change places.
 *
 * @example
 * swapped({ map: '0 0 10', one: 3, other: 5 }); // '0 0 3\n3 5 1\n4 4 1\n5 3 1\n6 6 4\n'
 */
export function swapped({ map, one, other }: { map: string; one: number; other: number }): string {
  const lines: string[] = [];
  for (const line of map.trim().split('\n')) {
    const [first = 0, , count = 0] = line.trim().split(/\s+/).map(Number);
    const end = first + count;
    let from = first;
    for (const [id, stand] of [
      [Math.min(one, other), Math.max(one, other)],
      [Math.max(one, other), Math.min(one, other)],
    ] as const) {
      if (id < from || id >= end) continue;
      if (id > from) lines.push(`${from} ${from} ${id - from}`);
      lines.push(`${id} ${stand} 1`);
      from = id + 1;
    }
    if (from < end) lines.push(`${from} ${from} ${end - from}`);
  }
  return `${lines.join('\n')}\n`;
}
