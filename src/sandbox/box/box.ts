import type { Integrity } from '../../core/integrity.ts';

/** Rungs of the ladder, strongest first (reliability.md §7.3). Code of the model never runs in the test worker itself: there is none below. */
export const rungs = ['bwrap', 'uid', 'process'] as const;
export type Rung = (typeof rungs)[number];

/** `none`: loopback of its own and nothing else, where the rung can hold that; `host`: the network of this machine. */
export type BoxNetwork = 'none' | 'host';

/** What a command may see, change and use; absolute paths. Everything else is hidden where the rung can hide it. */
export interface BoxPlan {
  /** Where it starts. */
  cwd: string;
  writable: readonly string[];
  /** May be missing. */
  readable: readonly string[];
  network: BoxNetwork;
  limits: BoxLimits;
}

/** Limits that the kernel holds; what it cannot hold for a whole tree is looked at from outside (see `LimitCheck`). */
export interface BoxLimits {
  /** Processes and threads of the box together. */
  tasks: number;
  /** Bytes of one file. */
  fileBytes: number;
  /** Bytes of data of one process; default: no limit. */
  dataBytes?: number;
  /** Bytes of `/tmp` and of `/dev/shm`, each, where the box has its own. */
  temporaryBytes: number;
}

/** Something to run commands in. */
export interface Box {
  rung: Rung;
  /** The user that commands run as on this machine, when it is another than ours: see `giveTo`. */
  user: number | null;
  /** For reports: what holds the commands, and what is not protected. */
  describe(network: BoxNetwork): string;
  /** Arguments to put before a command, its program first; empty when nothing is put before it. */
  wrap(plan: BoxPlan): string[];
}

/**
 * Whether the guard and the verdict can be relied on. Processes of the worker's own user can read its memory and reach the browser past the
 * guard (reliability.md §2.8).
 */
export function integrityOf(rung: Rung): Integrity {
  return rung === 'process' ? 'advisory' : 'strong';
}
