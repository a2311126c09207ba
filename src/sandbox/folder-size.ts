import { lstatSync, opendirSync } from 'node:fs';
import { join } from 'node:path';
import type { LimitCheck } from './run-command.ts';

/** A limit on what a command may put into a folder: bytes on disk and number of entries. Links are not followed. */
export function diskLimit({
  folder,
  bytes,
  entries,
  everyMs = 1_000,
}: {
  folder: string;
  bytes: number;
  entries: number;
  everyMs?: number;
}): LimitCheck {
  return {
    end: 'disk-limit',
    everyMs,
    exceeded() {
      const size = folderSize({ folder, maxEntries: entries });
      return size.bytes > bytes || size.entries > entries;
    },
  };
}

/** Bytes on disk and number of entries below a folder; stops counting above `maxEntries`. */
export function folderSize({ folder, maxEntries }: { folder: string; maxEntries: number }): { bytes: number; entries: number } {
  const size = { bytes: 0, entries: 0 };
  const pending = [folder];
  for (let current = pending.pop(); current !== undefined && size.entries <= maxEntries; current = pending.pop()) {
    try {
      const directory = opendirSync(current);
      try {
        for (let entry = directory.readSync(); entry && size.entries <= maxEntries; entry = directory.readSync()) {
          size.entries += 1;
          const path = join(current, entry.name);
          if (entry.isDirectory()) pending.push(path);
          else size.bytes += (lstatSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512;
        }
      } finally {
        directory.closeSync();
      }
    } catch {
      // removed or closed to us while it was looked at
    }
  }
  return size;
}
