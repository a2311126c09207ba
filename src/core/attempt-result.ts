import type { AllowGroup } from './allow.ts';
import type { Calibration } from './calibration.ts';
import type { ExitStatus, LimitName } from './exit.ts';
import type { Integrity } from './integrity.ts';
import type { ModelRole } from './model.ts';
import type { Outcome } from './outcome.ts';
import type { Usage } from './usage.ts';
import type { ItemVerdict, PredictedLabel } from './verdict.ts';

/** Name of the hidden attachment (leading underscore) by which a worker hands an {@link AttemptResult} to reporters; it survives blob merge. */
export const attemptAttachment = '_webwright-attempt';

/** Type of the annotation that marks a test as a task; its description is the task's id. A marked test is planned also when no attempt came of it. */
export const taskAnnotation = 'task';

/**
 * Name of the hidden attachment by which a worker says that an attempt began. A worker that is killed hands over nothing more; a reporter that
 * finds this and no {@link AttemptResult} of the same run folder completes the attempt from its events.
 */
export const startedAttachment = '_webwright-started';

/** What is known of an attempt when it begins. */
export type StartedAttempt = Pick<
  AttemptResult,
  | 'schemaVersion'
  | 'taskId'
  | 'instruction'
  | 'benchmark'
  | 'level'
  | 'environment'
  | 'k'
  | 'repeat'
  | 'agentModel'
  | 'judgeModel'
  | 'calibration'
  | 'startedAt'
  | 'runFolder'
>;

/** How `done` was gated. */
export type GateMode = 'off' | 'facts' | 'self_reflection';

/** What one model role used in an attempt. `costUsd` is null when a price was unknown. */
export interface RoleUsage {
  role: ModelRole;
  calls: number;
  usage: Usage;
  costUsd: number | null;
  durationMs: number;
}

/** One attempt as reports and `results.jsonl` know it. Paths are relative to the project. */
export interface AttemptResult {
  schemaVersion: 1;
  taskId: string;
  instruction: string;
  benchmark: string | null;
  level: string | null;
  environment: 'live' | 'workspace' | 'text';
  /** k-th `agent.run` of the test, from 1. */
  k: number;
  repeat: number;
  outcome: Outcome;
  reason: string;
  ungraded: boolean;
  exitStatus: ExitStatus;
  limit: LimitName | null;
  finalResponse: string;
  predicted_label: PredictedLabel;
  reasons: string;
  items: ItemVerdict[];
  /** What `done` had to pass (`agent.gate`): nothing, what code can decide, or the coach too. */
  gate: GateMode;
  /** Coach looks used (at most 5). */
  looks: number;
  steps: number;
  durationMs: number;
  roles: RoleUsage[];
  costUsd: number | null;
  agentModel: string;
  /** Same as the agent's, or the judge's own model id. */
  judgeModel: string;
  /** Of the grader that judged the rubric, in exactly its configuration; null: none is known, or no rubric item was judged. */
  calibration: Calibration | null;
  /** Where model replies came from; replayed and scripted attempts never enter a rate with live ones. */
  source: 'live' | 'replayed' | 'scripted' | 'mixed';
  /** A prompt changed since the recording was made. */
  stale: boolean;
  /** What held the agent's code, and what it did not hold. */
  sandbox: string;
  /** The egress policy, and whether all of the agent's connections are held by it (`complete`) or which are not. */
  egress: string;
  integrity: Integrity;
  /** Groups of browser calls that the author opened with `environment.allow`: each can forge what is judged, or read the session. */
  allow: AllowGroup[];
  /** Browser calls of the agent's code that were refused. */
  refusals: number;
  /** Excluded from the second rate (DESIGN §7): why, or null. */
  excluded: string | null;
  startedAt: string;
  runFolder: string;
  /** The end of the event chain when the attempt was over, for `webwright verify`; null when nobody was left to seal it. */
  seal: { events: number; head: string } | null;
}
