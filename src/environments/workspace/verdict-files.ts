import { basename, join } from 'node:path';
import type { CoachVerdict } from '../../core/verdict.ts';
import type { FinalRun } from './final-run.ts';
import { readRegularFile } from './read-regular-file.ts';
import { finalRunsFolder } from './run-names.ts';
import { writeInside } from './write-inside.ts';

/** The file in which Webwright keeps a verdict; here an export for readers, never a source. */
export const resultName = 'self_reflect_result.json';

/** Verdict files of a workspace: the harness writes them, and notices when somebody else does. */
export interface VerdictFiles {
  /** Writes a verdict into its run folder. Failure to do so is noted and changes nothing. */
  write(options: { verdict: CoachVerdict; run: FinalRun }): void;
  /** Looks at what a command changed. */
  check(changed: readonly string[]): string[];
  /** Files that claimed a success which the harness has not given. */
  readonly tampering: readonly string[];
}

/**
 * Keeps the verdicts of an attempt in memory and compares files with them (DESIGN §6): a file that claims predicted_label 1 for a run
 * whose verdict is another, or that has none, is tampering, also when it is deleted later.
 */
export function createVerdictFiles({ workspace, note }: { workspace: string; note: (text: string) => void }): VerdictFiles {
  const labels = new Map<number, CoachVerdict['predicted_label']>();
  const written = new Map<string, string>();
  const tampering = new Set<string>();
  return {
    write({ verdict, run }) {
      if (verdict.run === undefined) return;
      labels.set(verdict.run, verdict.predicted_label);
      const relative = `${finalRunsFolder}/run_${verdict.run}/${resultName}`;
      const text = `${JSON.stringify(exported({ verdict, run }), null, 2)}\n`;
      try {
        writeInside({ workspace, relative, text });
        written.set(relative, text);
      } catch (error) {
        note(`${relative} could not be written: ${(error as Error).message}`);
      }
    },
    check(changed) {
      const notices: string[] = [];
      for (const path of changed) {
        const name = basename(path);
        if (name === 'self_reflect_config.json') {
          notices.push(`${path} is ignored: prompts and points of the judge are the harness's`);
        }
        if (name !== resultName) continue;
        const file = readRegularFile({ path: join(workspace, path), maxBytes: 1_000_000 });
        const text = file.ok ? file.bytes.toString('utf8') : '';
        if (written.get(path) === text) continue;
        const run = Number(/^final_runs\/run_(\d+)\//.exec(path)?.[1] ?? Number.NaN);
        notices.push(`${path} was not written by the harness and decides nothing; ask with "webwright self-reflection", or send done`);
        note(`integrity: ${path} was written by a command`);
        if (claimsSuccess(text) && labels.get(run) !== 1) tampering.add(`${path} claims predicted_label 1, which no judge has given`);
      }
      return notices;
    },
    get tampering() {
      return [...tampering];
    },
  };
}

function claimsSuccess(text: string): boolean {
  try {
    const value = (JSON.parse(text) as { predicted_label?: unknown } | null)?.predicted_label;
    return value === 1 || value === true || value === '1';
  } catch {
    return /"?predicted_label"?\s*[:=]\s*"?(1|true)\b/.test(text);
  }
}

/** The verdict with Webwright's field names (webwright.md §5.3). */
function exported({ verdict, run }: { verdict: CoachVerdict; run: FinalRun }) {
  const names = new Map(run.ok ? run.screenshots.map(shot => [shot.sha256, `screenshots/${shot.name}`]) : []);
  const records = verdict.images.map(image => ({
    image_path: names.get(image.sha256) ?? `(evidence of the harness ${image.sha256.slice(0, 12)})`,
    Score: image.score,
    Reasoning: image.reasoning,
    ParseFailed: image.parseFailed,
  }));
  return {
    note: 'An export for readers. The verdict is kept by the harness; changing this file changes nothing and is noticed.',
    predicted_label: verdict.predicted_label,
    final_response: verdict.reasons,
    model: verdict.model,
    run: verdict.run,
    look: verdict.look,
    image_paths: records.map(record => record.image_path),
    image_records: records,
  };
}
