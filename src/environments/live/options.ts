import type { Browser, BrowserContext, Page } from '@playwright/test';
import type { AllowGroup } from '../../core/allow.ts';
import type { Redact } from '../../core/redact.ts';
import type { Task } from '../../core/task.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import type { RunFolder } from '../../record/run-folder.ts';
import type { Wanted } from '../../sandbox/box/choose-box.ts';
import type { AttemptEgress } from '../../sandbox/egress/egress.ts';
import type { InputFile } from '../inputs.ts';
import type { AriaMode } from './observe.ts';

/** Limits of a live environment; see reliability §7.5 for where the numbers come from. */
export interface LiveLimits {
  stepTimeoutMs: number;
  /** Characters of output shown to the model, half from each end. */
  outputChars: number;
  /** Characters of the view of the page. */
  observationChars: number;
  /** Heap of the runner child. */
  memoryMb: number;
}

export const defaultLiveLimits: LiveLimits = { stepTimeoutMs: 30_000, outputChars: 16_000, observationChars: 24_000, memoryMb: 512 };

export interface LiveEnvironmentOptions {
  browser: Browser;
  context: BrowserContext;
  /** The page the agent starts on; it stays open for the whole attempt. */
  page: Page;
  evidence: EvidenceStore;
  folder: RunFolder;
  task: Task;
  limits?: Partial<LiveLimits>;
  redact?: Redact;
  /** Told about what is worth keeping in the record but is not shown to the model. */
  note?: (text: string) => void;
  /** Gives the opened page to a person first; what it returns is told to the agent. */
  handOver?: ((page: Page) => Promise<string>) | undefined;
  /** What the proxy of the harness holds; its refusals are events. Absent or null: nothing is held. */
  egress?: AttemptEgress | null | undefined;
  /** The files of the task. */
  inputs?: readonly InputFile[];
  /** How the page is shown (default: folded). */
  ariaMode?: AriaMode;
  /** What must hold the child; default: the strongest rung that passes its self-test. */
  sandbox?: Wanted;
  /** Groups of calls that the guard lets through (`environment.allow`); default: none. */
  allow?: readonly AllowGroup[];
  /** Node that runs the model's code; default: this one. */
  nodePath?: string;
}
