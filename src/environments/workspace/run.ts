import type { Download, EvidenceItem } from '../../core/evidence.ts';
import type { RunFiles } from './run-files.ts';

/** Why there is no run to judge. Each has a text that says what to do next. */
export type RunRefusalKind =
  | 'no-final-runs'
  | 'no-run'
  | 'not-executed'
  | 'no-script'
  | 'no-log'
  | 'no-screenshots'
  | 'not-a-regular-file'
  | 'too-large'
  | 'exit-code'
  | 'no-final-response'
  | 'stale';

export interface RunRefusal {
  ok: false;
  kind: RunRefusalKind;
  /** For the model: what is missing and what to type next. */
  refusal: string;
  run: number | null;
}

/** A screenshot of a run folder. */
export interface RunShot {
  name: string;
  path: string;
  sha256: string;
  mediaType: 'image/png' | 'image/jpeg' | 'image/webp';
  /** `harness`: these very bytes were captured by the harness in this run; `claim`: the agent made them, and they cannot prove a point alone. */
  source: 'harness' | 'claim';
  /** Id of the harness's evidence of this run with the same bytes. */
  evidenceId: string | null;
  /** Where the same image was before (`run_1`, `step 3`), when the harness did not take it in this run: such a copy shows nothing about it. */
  copiedFrom: string | null;
}

/** A run of the final script as gate and judge see it. Everything in it was read once; hashes are of these bytes. */
export interface FinalRunFound {
  ok: true;
  run: number;
  folder: string;
  script: { path: string; sha256: string; text: string };
  log: { path: string; sha256: string; text: string };
  /** In the order of the steps. */
  screenshots: RunShot[];
  /** What the harness itself captured while this run was executed, the last state of each page included. */
  evidence: EvidenceItem[];
  /** What the browser saved meanwhile. */
  downloads: Download[];
  finalResponse: string;
  exitCode: 0;
  /** Step in which it was executed; null when the harness did not see it (another program's folder). */
  step: number | null;
  /** What differs from what the harness saw when the run was made: tampering, in words. */
  altered: string[];
}

export type FinalRun = FinalRunFound | RunRefusal;

/** What the harness knows about a run because it took part in it or saw its command end. */
export interface RunRecord {
  step: number;
  /** Return code of the command that changed the run folder last; null when the harness ended it. */
  returncode: number | null;
  /** Digest of the script at the moment it opened its browser. */
  scriptSha256?: string;
  /** Screenshots the harness handed to the script: file name → digest. */
  shots: Map<string, string>;
  /** The run's files when its command had ended. */
  files?: RunFiles;
  evidenceIds: string[];
}
