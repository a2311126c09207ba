import type { Config } from '../config/schema/index.ts';
import type { Environment } from '../core/environment.ts';
import type { CompletionMaterial, EvidenceItem, FinalState } from '../core/evidence.ts';
import type { ExitInfo } from '../core/exit.ts';
import type { Model } from '../core/model.ts';
import type { Task } from '../core/task.ts';
import type { CoachVerdict, Verdict } from '../core/verdict.ts';
import { grade } from '../judge/grade.ts';
import { historyOf } from '../judge/recorded-attempt.ts';
import { type ImageCache, selfReflect } from '../judge/self-reflection.ts';
import type { EventLog } from '../record/event-log.ts';
import { completionGate, type Gate } from './gate.ts';
import type { CriticalPoint } from './prompts.ts';

/** Server state and request log of the sites under test, read in memory by checks. */
export interface JudgeSources {
  state?: (site: string) => unknown;
  requests?: (site: string) => { method: string; path: string }[];
}

/** Coach and grader of one attempt: the gate during the run, the verdict after it. */
export function createJudges({
  task,
  config,
  model,
  log,
  evidence,
  sources,
  points,
  seed,
  environment,
}: {
  task: Task;
  config: Config;
  model: Model;
  log: EventLog;
  evidence: readonly EvidenceItem[];
  sources: JudgeSources;
  points: readonly CriticalPoint[];
  seed: string;
  environment: Environment;
}): {
  gate: Gate;
  verdict: (options: { exit: ExitInfo; finalState: FinalState; signal: AbortSignal }) => Promise<Verdict>;
  looks: () => number;
} {
  let coach: CoachVerdict | null = null;
  const cache: ImageCache = new Map();
  const { concurrency, max_images: maxImages } = config.judge;
  const gate = completionGate<CompletionMaterial>({
    required: config.agent.require_self_reflection_success,
    maxLooks: config.agent.max_looks,
    log,
    collect: () => environment.completion(),
    look: async ({ material, look, finalResponse, signal }) => {
      const verdict = await selfReflect({
        model,
        instruction: task.instruction,
        points,
        ...material,
        finalResponse,
        look,
        seed,
        cache,
        signal,
        concurrency,
        maxImages,
      });
      coach = verdict;
      return verdict;
    },
  });
  return {
    gate,
    looks: () => coach?.look ?? 0,
    async verdict({ exit, finalState, signal }) {
      const judged: Verdict = {
        predicted_label: coach?.predicted_label ?? null,
        reasons: coach?.reasons ?? `no look was taken (${exit.exit_status})`,
        coach,
        grader: null,
      };
      const gradable = exit.exit_status === 'Submitted' || exit.exit_status === 'LimitsExceeded';
      if (!gradable || task.rubric.length + task.checks.length === 0) return judged;
      const grader = await grade({
        model,
        task,
        evidence,
        history: historyOf(log.events),
        finalResponse: exit.final_response,
        checks: { finalResponse: exit.final_response, ...finalState, ...sources },
        mode: config.judge.grader,
        seed,
        concurrency,
        maxImages,
        signal,
      });
      return { ...judged, grader };
    },
  };
}
