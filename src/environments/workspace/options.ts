import type { Browser, BrowserContextOptions, LaunchOptions } from '@playwright/test';
import type { AllowGroup } from '../../core/allow.ts';
import type { Environment } from '../../core/environment.ts';
import type { Redact } from '../../core/redact.ts';
import type { Task } from '../../core/task.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import type { RunFolder } from '../../record/run-folder.ts';
import type { Box } from '../../sandbox/box/box.ts';
import type { Wanted } from '../../sandbox/box/choose-box.ts';
import type { AttemptEgress } from '../../sandbox/egress/egress.ts';
import type { InputFile } from '../inputs.ts';
import type { FinalRun } from './run.ts';

/** Limits of one command. */
export interface WorkspaceLimits {
  /** Milliseconds one command may run. */
  commandTimeoutMs: number;
  /** Characters of its output that the model sees, half from the start, half from the end. */
  outputChars: number;
  /** Bytes of output that end it. */
  outputKillBytes: number;
  /** Processes and threads it may have at a time, where the box can hold that; a Chromium needs 120. */
  tasks: number;
  /** Bytes of memory its processes may have together. */
  memoryBytes: number;
  /** Bytes one file may have. */
  fileBytes: number;
  /** Bytes and entries the workspace may have. */
  diskBytes: number;
  diskEntries: number;
}

/** The defaults of Webwright's base.yaml (webwright.md §2.1) and of reliability.md §7.5. */
export const workspaceLimits: WorkspaceLimits = {
  commandTimeoutMs: 240_000,
  outputChars: 24_000,
  outputKillBytes: 64_000_000,
  tasks: 512,
  memoryBytes: 2_000_000_000,
  fileBytes: 100_000_000,
  diskBytes: 500_000_000,
  diskEntries: 20_000,
};

export interface WorkspaceOptions {
  folder: RunFolder;
  task: Task;
  /** Called when a script first opens a browser (or a command that looks like it starts), and again when that browser has died. The caller closes it. */
  openBrowser: () => Promise<Browser>;
  /** Options of every context made for scripts. The viewport is 1280×1800 unless one is given. */
  contextOptions?: BrowserContextOptions;
  /**
   * `local` (default): scripts get a page from the harness. `browserbase`: the same, and the browser is in the cloud. `launch`: they start
   * Chromium themselves; what they show are then claims.
   */
  browserMode?: 'local' | 'launch' | 'browserbase';
  /** With `launch`: how `open()` starts Chromium. */
  launchOptions?: { executablePath?: string; args?: string[]; proxy?: LaunchOptions['proxy'] };
  /** Groups of calls that the guard lets scripts use (`environment.allow`); default: none. */
  allow?: readonly AllowGroup[];
  /** One context for the whole attempt instead of a fresh one for each `open()`. */
  persistent?: boolean;
  /** What must hold commands; default: the strongest rung that passes its self-test. */
  sandbox?: Wanted;
  /** A box to use without asking the ladder. */
  box?: Box;
  /** The files of the task; they stand in `inputs/` of the workspace. */
  inputs?: readonly InputFile[];
  evidence: EvidenceStore;
  limits?: Partial<WorkspaceLimits>;
  /** What the proxy of the harness holds. Commands in bubblewrap have no other way out. Absent or null: nothing is held. */
  egress?: AttemptEgress | null;
  /** The task's own variables for commands: `environment.env` and the credentials file. */
  env?: Record<string, string>;
  redact: Redact;
  /** Takes what should stand in the record besides observations. */
  note: (text: string) => void;
  /** Whether a start URL can be reached: null, or in words why not. Absent: the host is asked from this process. */
  probeUrl?: (url: string) => Promise<string | null>;
}

export type WorkspaceEnvironment = Environment & {
  /** The newest run of the final script (or the one asked for), or why there is none. */
  finalRun(options?: { run?: number }): Promise<FinalRun>;
};
