import type { CompletionMaterial, EvidenceItem, FinalState } from './evidence.ts';
import type { ImagePart } from './messages.ts';
import type { Task } from './task.ts';
import type { CoachVerdict } from './verdict.ts';

/** The field of a turn that carries the code. */
export type ActionField = 'bash_command' | 'playwright_code' | 'dsl';

/**
 * What an environment reports back after an action. `fields` go to the observation template as they are; everything in
 * them is bounded and free of secrets already.
 */
export interface Observation {
  success: boolean;
  /** What went wrong, in words the model can act on; empty when nothing did. */
  exception: string;
  fields: Record<string, unknown>;
  /** Screenshot taken by the harness after the action. */
  screenshot?: ImagePart;
}

/**
 * Where an agent acts: a live page, a workspace with a shell, or numbered elements. One instance serves one attempt.
 * Methods never throw for what the model did (that is an observation); they throw {@link EnvironmentFault} when the
 * environment itself is lost.
 */
export interface Environment {
  readonly kind: 'live' | 'workspace' | 'text';
  readonly actionField: ActionField;
  /** Open the start URLs. Throws a WebwrightError with code START_URL when one refuses or does not resolve. Returns the first observation. */
  prepare(task: Task): Promise<Observation>;
  /** Refuses code that cannot be parsed: the error to show the model, or null. Nothing is executed. */
  syntaxError(code: string): Promise<string | null>;
  /** Run one action. `step` is the number of the step everywhere: 1, 2, 3 … */
  execute(options: { code: string; step: number; signal: AbortSignal }): Promise<Observation>;
  /**
   * What stands behind a `done`: material for the coach (the newest final run in a workspace, the harness's step screenshots
   * in live mode), or what is missing, decided by code, as a text that says what to do next (webwright.md §1.8).
   */
  completion(options?: { run?: number }): Promise<{ refusal: string } | { material: CompletionMaterial }>;
  /**
   * Opens the addresses where the agent stands once more, in pages of the harness's own that only read, as evidence labelled `fresh`. Called
   * between steps, before a success; ends what the agent's code left running.
   */
  freshLook?(): Promise<EvidenceItem[]>;
  /** Takes a last piece of evidence of every open page (label `tab`) and returns them for the checks. Called once, before close. */
  finalState(): Promise<FinalState>;
  /** The agent's own plan as it stands (`plan.md`), or null; kept verbatim when the conversation is compacted. */
  plan?(): Promise<string | null>;
  /** How the agent reads the output of an earlier step again, e.g. `logs/step_0003.log`. */
  reread?(step: number): string;
  /** What an exact resume needs of the environment after a turn: the last URL, run numbers, a digest of the workspace. Small and quick. */
  checkpoint?(): Promise<Record<string, unknown>>;
  /** Where commands of the agent may ask the judges themselves (workspace): who answers. Called once, before the first step. */
  attachJudges?(desk: JudgeDesk): void;
  /** Writes a verdict where the agent can read it: an export, which decides nothing (DESIGN §6). */
  exportVerdict?(verdict: CoachVerdict): void;
  /** Variables for the prompt templates. */
  templateVars(): Record<string, unknown>;
  /** What run.json and trajectory.json say about the environment. */
  serialize(): Record<string, unknown>;
  /** Ends every child; called exactly once, also after a fault. */
  close(): Promise<void>;
}

/** What commands of a workspace may ask of the judges. Costs are booked where the judges' own are; the answers decide nothing by themselves. */
export interface JudgeDesk {
  /** One look of the coach at the newest final run, or at the one asked for; a refusal when there is nothing to look at or no look is left. */
  selfReflection(options: { run?: number }): Promise<{ verdict: CoachVerdict } | { refusal: string }>;
  /** Answers a question about images that the agent named. */
  imageQa(options: { images: ImagePart[]; question: string }): Promise<Record<string, unknown>>;
  /** Why a run of this final script would be refused whatever it does, known from its text and the plan alone; null when nothing is. */
  scriptProblem(text: string): Promise<string | null>;
}

/** The environment is gone (browser dead, workspace unusable): the attempt ends `EnvironmentError`. */
export class EnvironmentFault extends Error {
  override name = 'EnvironmentFault';
}
