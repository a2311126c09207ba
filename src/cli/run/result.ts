import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Outcome } from '../../core/outcome.ts';
import { type ExitCode, exitCodes } from '../verb.ts';

const outcomes = ['passed', 'failed', 'limit', 'gave_up', 'invalid', 'errored', 'unscored', 'skipped'] as const satisfies Outcome[];

/** What `run.json` says that the command needs; written by the fixture when the attempt is over. */
const finishedRun = z.looseObject({ outcome: z.enum(outcomes), reason: z.string(), finalResponse: z.string() });

/** One attempt as it ended, and where it lies. */
export type FinishedRun = z.infer<typeof finishedRun> & { folder: string };

/** The attempt under a run's folder, or null when it did not come to an end. */
export function readFinishedRun(folder: string): FinishedRun | null {
  for (const name of existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }) : []) {
    if (!/(^|[\\/])run\.json$/.test(name)) continue;
    const path = join(folder, name);
    const parsed = finishedRun.safeParse(jsonIn(path));
    return parsed.success ? { ...parsed.data, folder: join(path, '..') } : null;
  }
  return null;
}

const codes: Record<Outcome, ExitCode> = {
  passed: exitCodes.ok,
  failed: exitCodes.failed,
  invalid: exitCodes.failed,
  limit: exitCodes.limit,
  gave_up: exitCodes.gaveUp,
  errored: exitCodes.errored,
  unscored: exitCodes.unscored,
  skipped: exitCodes.errored,
};

/** The exit code of a run. Nothing but a passed attempt in a green run is 0; an attempt that left no result is an error. */
export function exitCodeOf({ run, runnerCode }: { run: FinishedRun | null; runnerCode: number | null }): ExitCode {
  if (!run) return exitCodes.errored;
  const code = codes[run.outcome];
  return code === exitCodes.ok && runnerCode !== 0 ? exitCodes.failed : code;
}

function jsonIn(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
