import type { Box } from './box.ts';
import { limitArgs } from './limit-args.ts';

/** Plain processes of this user: the lowest rung. Without `prlimit` (macOS, Windows) the kernel holds no limits. */
export function processBox({ prlimit }: { prlimit?: string | undefined } = {}): Box {
  return {
    rung: 'process',
    user: null,
    describe: () =>
      'process; NOT protected: files and network of your user, other processes, the memory of the test worker; guard and verdict are advisory',
    wrap: ({ limits }) => (prlimit ? limitArgs({ prlimit, limits, tasks: false }) : []),
  };
}
