import { closeSync, constants, openSync, realpathSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Writes a file of the harness into a workspace in which an agent may have replaced folders or files by links: a link on the
 * way, or in the place of the file, makes it fail instead of writing elsewhere (reliability.md C11, C13).
 */
export function writeInside({
  workspace,
  relative,
  text,
  append = false,
}: {
  workspace: string;
  /** Path below the workspace. */
  relative: string;
  text: string;
  append?: boolean;
}): string {
  const path = join(workspace, relative);
  const folder = dirname(path);
  const expected = join(realpathSync(workspace), dirname(relative));
  if (realpathSync(folder) !== expected) throw new Error(`${dirname(relative)} is a link`);
  const mode = append ? constants.O_APPEND : constants.O_TRUNC;
  const fd = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW | constants.O_NONBLOCK | mode, 0o644);
  try {
    writeSync(fd, text);
  } finally {
    closeSync(fd);
  }
  return path;
}
