import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readRegularFile } from './read-regular-file.ts';
import type { RunRecord } from './run.ts';
import { runFilesOf } from './run-files.ts';
import { finalScriptName, runPath } from './run-names.ts';

/** What the harness knows about the runs of the final script, in its own memory; files in the workspace cannot change it. */
export interface RunRecords {
  readonly all: ReadonlyMap<number, RunRecord>;
  /** A script has made a run folder and asks for its browser. Refuses a number of an earlier step; gives the script when the run is new. */
  opened(options: { run: number; step: number }): string | null;
  /** Evidence was captured in a step. It belongs to the run it was captured for; without one, to every run opened in the step. */
  captured(options: { step: number; run: number | undefined; evidenceIds: string[] }): void;
  /** The harness handed a screenshot to the script of a run. */
  shot(options: { run: number; file: string; sha256: string }): void;
  /** A command ended; runs whose files changed in it without `open()` are noted too. */
  commandEnded(options: { step: number; returncode: number | null; changed: string[] }): void;
  /** Runs that were made in a step, ascending. */
  runsOf(step: number): number[];
}

/** An empty record of the runs below a workspace. */
export function createRunRecords({ workspace }: { workspace: string }): RunRecords {
  const all = new Map<number, RunRecord>();
  const inStep = (step: number) => [...all].filter(([, record]) => record.step === step);
  return {
    all,
    opened({ run, step }) {
      const known = all.get(run);
      if (known && known.step === step) return null; // another tab or context of the same script
      if (known) throw new Error(`final_runs/run_${run} has been executed already; a run is never continued`);
      const script = readRegularFile({ path: join(runPath({ workspace, run }), finalScriptName), maxBytes: 1_000_000 });
      if (!script.ok) throw new Error(`final_runs/run_${run}/${finalScriptName} is ${script.why}`);
      const scriptSha256 = createHash('sha256').update(script.bytes).digest('hex');
      all.set(run, { step, returncode: null, scriptSha256, shots: new Map(), evidenceIds: [] });
      return script.bytes.toString('utf8');
    },
    captured({ step, run, evidenceIds }) {
      for (const [number, record] of inStep(step)) if (run === undefined || run === number) record.evidenceIds.push(...evidenceIds);
    },
    shot({ run, file, sha256 }) {
      all.get(run)?.shots.set(file, sha256);
    },
    commandEnded({ step, returncode, changed }) {
      for (const [, record] of inStep(step)) record.returncode = returncode;
      for (const path of changed) {
        const match = /^final_runs\/run_(\d{1,9})\/(?:final_script_log\.txt|screenshots\/)/.exec(path);
        const run = match ? Number(match[1]) : undefined;
        if (run === undefined) continue;
        // Without `open()` only the files tell of a run: it belongs to the step that wrote them last.
        const known = all.get(run);
        if (!known || (known.scriptSha256 === undefined && known.step !== step))
          all.set(run, { step, returncode, shots: new Map(), evidenceIds: [] });
      }
      for (const [run, record] of inStep(step)) record.files = runFilesOf({ workspace, run });
    },
    runsOf(step) {
      return inStep(step)
        .map(([run]) => run)
        .sort((a, b) => a - b);
    },
  };
}
