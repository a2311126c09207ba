import { spawnSync } from 'node:child_process';

/** Whether code can run as another user here: the worker is root, and its Node lies where others may run it (not below `/root`). */
export const hasUid = process.getuid?.() === 0 && spawnSync(process.execPath, ['--version'], { uid: 65_534, gid: 65_534 }).status === 0;
export const noUid = 'needs root, and a Node that other users may run';
