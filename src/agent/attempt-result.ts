import type { AttemptResult, GateMode, RoleUsage } from '../core/attempt-result.ts';
import type { Calibration } from '../core/calibration.ts';
import type { Environment } from '../core/environment.ts';
import type { Task } from '../core/task.ts';
import type { Attempt } from './attempt.ts';
import { heldBy, passedBy } from './held-by.ts';

/** What the models of an attempt say about themselves at its end. */
export interface ModelsReport {
  agentName: string;
  judgeName: string;
  roles: () => RoleUsage[];
  costUsd: () => number | null;
  source: () => AttemptResult['source'];
  stale: () => boolean;
}

/** A finished attempt as reports and `results.jsonl` know it. */
export function attemptResult({
  task,
  attempt,
  models,
  calibration,
  environment,
  gate,
  repeat,
  startedAt,
  runFolder,
  seal,
}: {
  task: Task;
  attempt: Attempt;
  models: ModelsReport;
  /** Of the grader in its present configuration. */
  calibration: Calibration | null;
  environment: Environment;
  gate: GateMode;
  repeat: number;
  startedAt: string;
  runFolder: string;
  seal: AttemptResult['seal'];
}): AttemptResult {
  const { exit, outcome, verdict } = attempt;
  return {
    schemaVersion: 1,
    taskId: task.id,
    instruction: task.instruction,
    benchmark: task.benchmark ?? null,
    level: task.level ?? null,
    environment: environment.kind,
    k: Number(runFolder.split(/[\\/]/).at(-1)),
    repeat,
    ...outcome,
    exitStatus: exit.exit_status,
    limit: exit.limit ?? null,
    finalResponse: exit.final_response,
    predicted_label: verdict.predicted_label,
    reasons: verdict.reasons,
    items: verdict.grader?.items ?? [],
    gate,
    looks: attempt.looks,
    steps: attempt.steps,
    durationMs: Math.round(attempt.durationMs),
    roles: models.roles(),
    costUsd: models.costUsd(),
    agentModel: models.agentName,
    judgeModel: models.judgeName,
    calibration: verdict.grader?.items.some(({ kind }) => kind === 'rubric') ? calibration : null,
    source: models.source(),
    stale: models.stale(),
    egress: String(environment.serialize()['egress'] ?? 'unknown'),
    ...heldBy(environment),
    ...passedBy(environment),
    excluded: excludedBecause(attempt),
    startedAt,
    runFolder: runFolder.replaceAll('\\', '/'),
    seal,
  };
}

/** Why the second rate leaves this attempt out (DESIGN §7): the endpoint was unreachable, or it failed before the agent's first action. */
function excludedBecause({ exit, outcome, steps }: Attempt): string | null {
  if (outcome.outcome === 'unscored' || outcome.outcome === 'skipped') return outcome.reason;
  if (outcome.outcome !== 'errored') return null;
  if (exit.unreachable) return 'the model endpoint was unreachable';
  return steps === 0 ? 'it failed before the first action' : null;
}
