import { existsSync, lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Box, BoxPlan } from './box.ts';

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

/**
 * A box made of namespaces by bubblewrap: a file system of its own with a short list of what it shows, no other processes, no capabilities,
 * no further user namespaces; it dies as a whole with its first process and with the worker (reliability.md §2.5).
 *
 * Root stays root outside, with no capability and another number inside: a real change of user would need every folder above the
 * workspace to be open to it.
 */
export function bwrapBox({ bwrap, version }: { bwrap: string; version: string }): Box {
  return {
    rung: 'bwrap',
    description: `bwrap ${version}; network of the host: NOT protected from connections to your machine and network`,
    wrap: plan => [bwrap, ...namespaces, ...fileSystem(plan), '--chdir', plan.cwd, '--'],
  };
}

const namespaces = [
  ...['--unshare-user', '--uid', '65534', '--gid', '65534', '--disable-userns'],
  ...['--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
  ...['--cap-drop', 'ALL', '--die-with-parent', '--new-session'],
];

function fileSystem({ readable, writable }: BoxPlan): string[] {
  const args = ['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp'];
  for (const path of rootFolders) args.push(...likeHost(path));
  for (const path of [...systemPaths, ...nodePaths(), ...readable].filter(existsSync)) args.push('--ro-bind', realpathSync(path), path);
  for (const path of writable) args.push('--bind', path, path);
  return args;
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

/** Path of bubblewrap on the search path, or undefined. */
export function findBwrap(searchPath: string): string | undefined {
  return searchPath
    .split(delimiter)
    .filter(Boolean)
    .map(folder => join(folder, 'bwrap'))
    .find(existsSync);
}

/** Why bubblewrap failed, in words, and what helps: the causes of reliability.md §2.5. */
export function explainBwrap(output: string): { cause: string; remedy: string } {
  const rows: [pattern: RegExp, cause: string, remedy: string][] = [
    [
      /nesting depth|max_\w+_namespaces|ENOSPC/,
      'user namespaces are used up or switched off',
      'sudo sysctl user.max_user_namespaces=15000',
    ],
    [
      /No permissions to creat(e|ing) (a )?new namespace/,
      'a seccomp filter refuses namespaces (the default of Docker)',
      'run the container with a seccomp profile that allows them',
    ],
    [
      /uid map|RTM_NEWADDR|setgroups/,
      'AppArmor restricts user namespaces (Ubuntu 23.10 and later), or root lacks CAP_SETFCAP',
      'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap',
    ],
    [/[Uu]nknown option/, 'bubblewrap is too old (0.8 is needed)', 'install a newer bubblewrap'],
  ];
  const row = rows.find(([pattern]) => pattern.test(output));
  const line = output.trim().split('\n')[0] ?? '';
  return row
    ? { cause: `${row[1]}: ${line}`, remedy: row[2] }
    : { cause: line || 'it failed without a word', remedy: 'run: webwright doctor' };
}
