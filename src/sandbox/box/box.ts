/** Rungs of the ladder, strongest first (reliability.md §7.3). */
export type Rung = 'bwrap' | 'process';

/** What a command may see and change; absolute paths. Everything else is hidden where the rung can hide it. */
export interface BoxPlan {
  /** Where it starts. */
  cwd: string;
  writable: readonly string[];
  /** May be missing. */
  readable: readonly string[];
}

/** Something to run commands in. */
export interface Box {
  rung: Rung;
  /** For reports: what holds the commands, and what is not protected. */
  description: string;
  /** Arguments to put before a command, its program first; empty when nothing is put before it. */
  wrap(plan: BoxPlan): string[];
}

/** Plain processes of this user: the lowest rung. */
export const processBox: Box = {
  rung: 'process',
  description:
    'process; NOT protected: files and network of your user, other processes, the memory of the test worker (verdict integrity: advisory)',
  wrap: () => [],
};
