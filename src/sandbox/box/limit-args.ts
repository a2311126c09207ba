import type { BoxLimits } from './box.ts';

/** Arguments of `prlimit` before a command. `tasks` is left out where it would count all processes of a user. */
export function limitArgs({ prlimit, limits, tasks }: { prlimit: string; limits: BoxLimits; tasks: boolean }): string[] {
  return [
    prlimit,
    '--core=0',
    `--fsize=${limits.fileBytes}`,
    ...(tasks ? [`--nproc=${limits.tasks}`] : []),
    ...(limits.dataBytes === undefined ? [] : [`--data=${limits.dataBytes}`]),
    '--',
  ];
}
