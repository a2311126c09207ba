import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { CoachVerdict } from '../../core/verdict.ts';
import { readRegularFile } from './read-regular-file.ts';
import type { FinalRun } from './run.ts';
import { changesIn, type RunFiles, runFilesOf } from './run-files.ts';
import { finalRunsFolder, runNumbers } from './run-names.ts';
import { writeInside } from './write-inside.ts';

/** The file in which Webwright keeps a verdict; here an export for readers, never a source. */
export const resultName = 'self_reflect_result.json';

/** Verdict files of a workspace: the harness writes them, and notices when somebody else does. */
export interface VerdictFiles {
  /** Writes a verdict into its run folder. Failure to do so is noted and changes nothing. */
  write(options: { verdict: CoachVerdict; run: FinalRun }): void;
  /** Looks at the workspace after a command; `changed` are the regular files that it made or changed. Returns what the agent should be told. */
  check(changed: readonly string[]): string[];
  /** What contradicts the verdicts of the harness: a success that nobody gave, a passed run whose files are others now. */
  readonly tampering: readonly string[];
}

/**
 * Keeps the verdicts of an attempt in memory and compares files with them (DESIGN §6): a file that claims predicted_label 1 for a run
 * whose verdict is another, or that has none, is tampering, also when it is deleted later; so is changing a run that has passed.
 */
export function createVerdictFiles({ workspace, note }: { workspace: string; note: (text: string) => void }): VerdictFiles {
  const labels = new Map<number, CoachVerdict['predicted_label']>();
  const written = new Map<string, string>();
  const passed = new Map<number, RunFiles>();
  const tampering = new Set<string>();
  const seen = new Map<string, string>();
  const record = (text: string) => {
    if (!tampering.has(text)) note(`integrity: ${text}`);
    tampering.add(text);
  };

  const checkResult = (path: string): string[] => {
    const { text, kind } = resultAt(join(workspace, path));
    if (text === undefined || text === written.get(path) || text === seen.get(path)) return [];
    seen.set(path, text);
    const run = Number(/^final_runs\/run_(\d+)\//.exec(path)?.[1] ?? Number.NaN);
    note(`integrity: ${path} was written by a command${kind === 'file' ? '' : `, as a ${kind}`}`);
    if (kind !== 'file') record(`${path} is a ${kind}, not the verdict of the harness`);
    else if (claimsSuccess(text) && labels.get(run) !== 1) record(`${path} claims predicted_label 1, which no judge has given`);
    return [`${path} was not written by the harness and decides nothing; ask with "webwright self-reflection", or send done`];
  };

  return {
    write({ verdict, run }) {
      if (verdict.run === undefined) return;
      labels.set(verdict.run, verdict.predicted_label);
      if (verdict.predicted_label === 1) passed.set(verdict.run, runFilesOf({ workspace, run: verdict.run }));
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
      for (const [run, before] of passed) {
        const after = runFilesOf({ workspace, run });
        // A run that is gone claims nothing.
        if (after.size === 0) continue;
        const changes = changesIn({ before, after });
        if (changes.length > 0) record(`final_runs/run_${run} was changed after it had passed: ${changes.join(', ')}`);
      }
      const results = changed.filter(path => basename(path) === resultName);
      const ofRuns = runNumbers(workspace).map(run => `${finalRunsFolder}/run_${run}/${resultName}`);
      const configs = changed.filter(path => basename(path) === 'self_reflect_config.json');
      return [
        ...configs.map(path => `${path} is ignored: prompts, points and thresholds of the judge are the harness's`),
        ...[...new Set([...results, ...ofRuns])].flatMap(checkResult),
      ];
    },
    get tampering() {
      return [...tampering];
    },
  };
}

/** What stands in the place of a result. A link, a fifo and the like are named and never opened. */
function resultAt(path: string): { text: string | undefined; kind: string } {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return { text: undefined, kind: '' };
  if (!stat.isFile()) {
    const kind = stat.isSymbolicLink() ? 'link' : stat.isDirectory() ? 'folder' : 'special file';
    return { text: kind, kind };
  }
  const file = readRegularFile({ path, maxBytes: 1_000_000 });
  return { text: file.ok ? file.bytes.toString('utf8') : '', kind: 'file' };
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
