import { execFileSync } from 'node:child_process';
import { findProgram } from '../find-program.ts';
import type { Box, Rung } from './box.ts';
import { bwrapBox } from './bwrap-box.ts';
import { explain } from './explain.ts';
import { processBox } from './process-box.ts';
import { passingUser, uidBox } from './uid-box.ts';
import { makeUserNamespace } from './user-namespace.ts';

/** The machine as the ladder sees it; injected in tests. */
export interface BoxHost {
  platform: NodeJS.Platform;
  isRoot: boolean;
  searchPath: string;
  versionOf: (bwrap: string) => string;
}

/** Why a rung cannot be used here, and what to type. */
export interface Refusal {
  cause: string;
  remedy: string;
}

/** The box of a rung on this machine, not yet tried. */
export async function makeBox({ rung, host }: { rung: Rung; host: BoxHost }): Promise<Box | Refusal> {
  if (rung === 'process') return processBox({ prlimit: host.platform === 'linux' ? find({ name: 'prlimit', host }) : undefined });
  if (host.platform !== 'linux')
    return { cause: `it is made of Linux namespaces and users, and this is ${host.platform}`, remedy: 'run in Linux (a container, WSL 2)' };
  if (rung === 'uid' && !host.isRoot) return { cause: 'only root can run commands as another user', remedy: 'install bubblewrap instead' };
  const tools = toolsFor({ rung, host });
  if ('cause' in tools) return tools;
  const { bwrap, prlimit, setpriv, nsenter, unshare } = tools;
  const user = passingUser();
  if (rung === 'uid') return uidBox({ user, programs: { setpriv, prlimit } });
  const version = host.versionOf(bwrap);
  if (!host.isRoot) return bwrapBox({ bwrap, version, prlimit, root: null });
  try {
    const namespace = await makeUserNamespace({ user, programs: { unshare, nsenter } });
    return bwrapBox({ bwrap, version, prlimit, root: { user, namespace, nsenter, setpriv } });
  } catch (error) {
    return explain((error as Error).message);
  }
}

const packages = { bwrap: 'bubblewrap', prlimit: 'util-linux', setpriv: 'util-linux', nsenter: 'util-linux', unshare: 'util-linux' };
type Tool = keyof typeof packages;

/** The programs that a rung needs, or which one is missing (reliability.md C18). */
function toolsFor({ rung, host }: { rung: Rung; host: BoxHost }): Record<Tool, string> | Refusal {
  const needed: Tool[] =
    rung === 'uid' ? ['setpriv', 'prlimit'] : host.isRoot ? ['bwrap', 'prlimit', 'setpriv', 'nsenter', 'unshare'] : ['bwrap', 'prlimit'];
  const found: Record<Tool, string> = { bwrap: '', prlimit: '', setpriv: '', nsenter: '', unshare: '' };
  for (const name of needed) {
    const path = find({ name, host });
    if (!path)
      return {
        cause: `${name} is not installed`,
        remedy: `install ${packages[name]} (Debian: apt-get install ${packages[name]})`,
      };
    found[name] = path;
  }
  return found;
}

function find({ name, host }: { name: string; host: BoxHost }): string | undefined {
  return findProgram({ name, searchPath: host.searchPath });
}

/** This machine. */
export function thisHost(): BoxHost {
  return {
    platform: process.platform,
    isRoot: process.getuid?.() === 0,
    searchPath: process.env.PATH ?? '',
    versionOf: bwrap => {
      try {
        return execFileSync(bwrap, ['--version'], { encoding: 'utf8', timeout: 5_000 }).trim().split(' ').at(-1) ?? '?';
      } catch {
        return '?';
      }
    },
  };
}
