import { closeSync, constants, lstatSync, openSync, realpathSync, rmSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a file of the harness into a workspace in which an agent may have replaced folders or files by links: what stands in the place of
 * the file is replaced, never written through, and a link among the folders on the way makes it fail (reliability.md C11, C13).
 */
export function writeInside({
  workspace,
  relative,
  text,
  append = false,
  mode = 0o644,
}: {
  workspace: string;
  /** Path below the workspace. */
  relative: string;
  text: string;
  append?: boolean;
  mode?: number;
}): string {
  const path = join(workspace, relative);
  const expected = join(realpathSync(workspace), dirname(relative));
  if (realpathSync(dirname(path)) !== expected) throw new Error(`${dirname(relative)} is a link`);
  const continued = append && isOwnFile(path);
  if (!continued) rmSync(path, { force: true, recursive: true });
  const how = continued ? constants.O_APPEND : constants.O_EXCL;
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | how, mode);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
  return path;
}

/** A regular file under no other name. */
function isOwnFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.nlink === 1;
}
