/** Why a box could not be made, in words, and what helps: the causes of reliability.md §2.5. */
export function explain(output: string): { cause: string; remedy: string } {
  const rows: [pattern: RegExp, cause: string, remedy: string][] = [
    [
      /nesting depth|max_\w+_namespaces|ENOSPC|unshare failed: No space left/,
      'user namespaces are used up or switched off',
      'sudo sysctl user.max_user_namespaces=15000',
    ],
    [
      /No permissions to creat(e|ing) (a )?new namespace|unshare failed: Operation not permitted/,
      'a seccomp filter refuses namespaces (the default of Docker)',
      'run the container with a seccomp profile that allows them',
    ],
    [
      /uid map|uid_map|gid_map|RTM_NEWADDR|setgroups/,
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
