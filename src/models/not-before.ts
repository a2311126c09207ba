import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, ftruncateSync, mkdirSync, openSync, readSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A time before which nobody on this machine should ask an endpoint again. */
export interface NotBefore {
  /** In ms since 1970; 0 when nobody is held back. */
  until(): number;
  /** Sets it, if it is later than what is set. */
  holdBack(untilMs: number): void;
}

/** No worker is held back longer than this by what another one was told; then the endpoint itself is asked again. */
const maxHoldMs = 60_000;
/** Digits of a line: a time in ms, and a line end. */
const lineBytes = 14;
const maxFileBytes = lineBytes * 1_000;

/**
 * The shared not-before time of an endpoint: one small file in the temporary folder of this user. Each hold is one appended
 * line of fixed length, which the operating system keeps whole without a lock; the latest line wins, wherever it stands.
 * Whatever is wrong with the file means that nobody is held back.
 */
export function sharedNotBefore({
  endpoint,
  now,
  folder = defaultFolder(),
}: {
  endpoint: string;
  now: () => number;
  folder?: string;
}): NotBefore {
  const path = join(folder, `${createHash('sha256').update(endpoint).digest('hex').slice(0, 16)}.hold`);
  return {
    until() {
      const buffer = Buffer.alloc(lineBytes * 100);
      const bytes = withFile({
        path,
        flags: constants.O_RDONLY,
        use: fd => readSync(fd, buffer, 0, buffer.length, Math.max(0, fstatSync(fd).size - buffer.length)),
      });
      const times = buffer
        .toString('latin1', 0, bytes ?? 0)
        .split('\n')
        .map(Number)
        .filter(time => Number.isSafeInteger(time));
      return Math.min(Math.max(0, ...times), now() + maxHoldMs);
    },
    holdBack(untilMs) {
      const time = Math.ceil(Math.min(untilMs, now() + maxHoldMs));
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
      } catch {
        return;
      }
      withFile({
        path,
        flags: constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT,
        use: fd => {
          if (fstatSync(fd).size > maxFileBytes) ftruncateSync(fd);
          return writeSync(fd, `${String(time).padStart(lineBytes - 1, '0')}\n`);
        },
      });
    },
  };
}

/** Holds nobody back. */
export const noHold: NotBefore = { until: () => 0, holdBack: () => undefined };

function withFile({ path, flags, use }: { path: string; flags: number; use: (fd: number) => number }): number | undefined {
  let fd: number | undefined;
  try {
    // Never through a symbolic link: the temporary folder may belong to everybody.
    fd = openSync(path, flags | (constants.O_NOFOLLOW ?? 0), 0o600);
    return use(fd);
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function defaultFolder(): string {
  return join(tmpdir(), `webwright-${process.getuid?.() ?? 'user'}`);
}
