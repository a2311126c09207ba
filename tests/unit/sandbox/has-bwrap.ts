import { spawnSync } from 'node:child_process';

/** Whether this machine has bubblewrap and lets it make namespaces; without them what they hold cannot be tested, and the rungs below are. */
export const hasBwrap = spawnSync('bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;
export const noBwrap = 'needs bubblewrap with user namespaces; this machine has a lower rung';
