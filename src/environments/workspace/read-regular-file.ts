import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** A file's bytes, or why it was not read. */
export type ReadResult = { ok: true; bytes: Buffer } | { ok: false; why: 'missing' | 'not-a-regular-file' | 'too-large' };

/**
 * Reads a file that an agent may have made. Only regular files are read: symlinks are not followed, and a fifo, socket or device
 * is neither waited for nor opened for reading (reliability.md C20). The last component only; callers list folders themselves.
 */
export function readRegularFile({ path, maxBytes }: { path: string; maxBytes: number }): ReadResult {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return { ok: false, why: code === 'ENOENT' || code === 'ENOTDIR' ? 'missing' : 'not-a-regular-file' };
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return { ok: false, why: 'not-a-regular-file' };
    if (stat.size > maxBytes) return { ok: false, why: 'too-large' };
    const bytes = Buffer.alloc(stat.size);
    let length = 0;
    while (length < bytes.length) {
      const read = readSync(fd, bytes, length, bytes.length - length, length);
      if (read === 0) break; // shrank in between
      length += read;
    }
    return { ok: true, bytes: bytes.subarray(0, length) };
  } finally {
    closeSync(fd);
  }
}
