import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Box, BoxPlan } from './box.ts';
import { limitArgs } from './limit-args.ts';
import { dropArgs, type UserPrograms } from './uid-box.ts';
import { insideUser } from './user-namespace.ts';

/** Places of a Linux system that programs need and that hold no secrets. What is missing is left out. */
const systemPaths = [
  ...['/usr', '/opt/google', '/sys/devices/system/cpu', '/nix/store'],
  ...[
    'alternatives',
    'bash.bashrc',
    'ca-certificates',
    'ca-certificates.conf',
    'chromium',
    'chromium.d',
    'fonts',
    'group',
    'host.conf',
  ].map(etc),
  ...['hosts', 'inputrc', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'localtime', 'magic', 'mime.types', 'nsswitch.conf'].map(etc),
  ...['passwd', 'pki', 'resolv.conf', 'ssl', 'terminfo', 'timezone'].map(etc),
];
/** Folders that are links into /usr on most systems and real folders on others. */
const rootFolders = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32'];

function etc(name: string): string {
  return `/etc/${name}`;
}

/** What a root worker needs besides bubblewrap. */
export interface RootSetup {
  /** The user on this machine that commands run as. */
  user: number;
  /** Path of the namespace in which that user is {@link insideUser}. */
  namespace: string;
  nsenter: string;
  setpriv: string;
}

/**
 * A box made of namespaces by bubblewrap: a file system of its own with a short list of what it shows, no other processes, no network unless the
 * plan says so, no capabilities, no further user namespaces; it dies as a whole with its first process and with the worker (reliability.md §2.5).
 *
 * Commands of a root worker run as an ordinary user: the box is made by root in a user namespace, which can enter every folder above the workspace,
 * and `setpriv` then drops what made it.
 */
export function bwrapBox({
  bwrap,
  version,
  prlimit,
  root,
}: {
  bwrap: string;
  version: string;
  prlimit: UserPrograms['prlimit'];
  root: RootSetup | null;
}): Box {
  return {
    rung: 'bwrap',
    user: root?.user ?? null,
    describe: network =>
      [
        `bwrap ${version}${root ? ', uid of its own' : ''}`,
        network === 'none'
          ? 'no network of this machine'
          : 'network of the host: NOT protected from connections to your machine and network',
      ].join('; '),
    wrap: plan => [
      ...(root ? [root.nsenter, `--user=${root.namespace}`, '--', bwrap] : [bwrap]),
      ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try', '--die-with-parent', '--new-session'],
      ...(plan.network === 'none' ? ['--unshare-net'] : []),
      ...(root ? keptForSetpriv : ownNamespace),
      ...fileSystem(plan),
      ...['--chdir', plan.cwd, '--'],
      ...(root ? [...dropArgs({ setpriv: root.setpriv, user: insideUser }), '--'] : []),
      ...limitArgs({ prlimit, limits: plan.limits, tasks: true }),
    ],
  };
}

const ownNamespace = ['--unshare-user', '--uid', String(insideUser), '--gid', String(insideUser), '--disable-userns', '--cap-drop', 'ALL'];

/** What `setpriv` needs in order to drop everything, these included, and to be started in a folder that only its later user may enter. */
const keptForSetpriv = [
  ...['--cap-drop', 'ALL'],
  ...['CAP_SETUID', 'CAP_SETGID', 'CAP_SETPCAP', 'CAP_DAC_READ_SEARCH'].flatMap(name => ['--cap-add', name]),
];

function fileSystem({ readable, writable, limits }: BoxPlan): string[] {
  const args = ['--proc', '/proc', '--dev', '/dev'];
  // In memory, so it must have a size.
  for (const path of ['/tmp', '/dev/shm']) args.push('--perms', '1777', '--size', String(limits.temporaryBytes), '--tmpfs', path);
  for (const path of rootFolders) args.push(...likeHost(path));
  const shown = [...systemPaths, ...nodePaths(), ...readable].filter(existsSync);
  for (const folder of foldersAbove([...shown, ...writable])) args.push('--perms', '0755', '--dir', folder);
  for (const path of shown) args.push('--ro-bind', realpathSync(path), path);
  for (const path of writable) args.push('--bind', path, path);
  return [...args, '--remount-ro', '/'];
}

/** Outermost first. Bubblewrap itself would make them for their owner only, who is not the user inside. */
function foldersAbove(paths: readonly string[]): string[] {
  const folders = new Set<string>();
  for (const path of paths) for (let above = dirname(path); above !== '/'; above = dirname(above)) folders.add(above);
  return [...folders].filter(folder => folder !== '/tmp' && !paths.includes(folder)).sort();
}

function likeHost(path: string): string[] {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return [];
  return stat.isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path];
}

/** Where this Node is installed, when that is not a place of the system. */
function nodePaths(): string[] {
  const places = [process.execPath, realpathSync(process.execPath)].map(path => dirname(dirname(path)));
  return [...new Set(places)].filter(path => path !== '/' && path !== '/usr' && !path.startsWith('/usr/'));
}
