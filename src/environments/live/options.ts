import type { AllowGroup } from '../../core/allow.ts';
import type { Wanted } from '../../sandbox/box/choose-box.ts';
import type { InputFile } from '../inputs.ts';
import type { PageEnvironmentOptions } from '../page/options.ts';
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

export interface LiveEnvironmentOptions extends PageEnvironmentOptions {
  limits?: Partial<LiveLimits>;
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
