import { chmodSync, lchownSync } from 'node:fs';
import type { Box } from './box.ts';

/**
 * Makes sockets and workspaces of the harness usable by the user of a box; nothing to do when it is our own. Links are not followed.
 *
 * @example
 * giveTo({ box, paths: [broker.socket] });
 */
export function giveTo({ box, paths }: { box: Pick<Box, 'user'>; paths: readonly string[] }): void {
  if (box.user === null) return;
  for (const path of paths) lchownSync(path, box.user, box.user);
}

/** Lets the user of a box go through a private folder of ours, without listing it, to what lies below. */
export function letThrough({ box, folder }: { box: Pick<Box, 'user'>; folder: string }): void {
  if (box.user !== null) chmodSync(folder, 0o711);
}
