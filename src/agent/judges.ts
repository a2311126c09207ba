import type { Config } from '../config/schema/index.ts';
import type { Environment } from '../core/environment.ts';
import type { EvidenceItem, FinalState } from '../core/evidence.ts';
import type { ExitInfo } from '../core/exit.ts';
import type { Model } from '../core/model.ts';
import type { Task } from '../core/task.ts';
import type { CoachVerdict, Verdict } from '../core/verdict.ts';
import { grade } from '../judge/grade.ts';
import { imageQa } from '../judge/image-qa.ts';
import { isFresh, withoutEqualFresh } from '../judge/images.ts';
import { actionsOf, historyOf, shortHistoryOf } from '../judge/recorded-attempt.ts';
import { type ImageCache, selfReflect } from '../judge/self-reflection.ts';
import type { EventLog } from '../record/event-log.ts';
import { scriptProblem, withFacts } from './facts.ts';
import { createCoach, type Gate } from './gate.ts';
import type { CriticalPoint } from './prompts.ts';

/** Server state and request log of the sites under test, read in memory by checks. */
export interface JudgeSources {
  state?: (site: string) => unknown;
  requests?: (site: string) => { method: string; path: string }[];
}

export interface JudgesOptions {
  task: Task;
  config: Config;
  model: Model;
  log: EventLog;
  evidence: readonly EvidenceItem[];
  sources: JudgeSources;
  points: readonly CriticalPoint[];
  seed: string;
  /** The Odysseys scorer's own system prompt, where the config names a file with it. */
  scorerPrompt?: string | undefined;
  environment: Environment;
  step: () => number;
  signal: AbortSignal;
}

/** Coach and grader of one attempt: the gate during the run, the verdict after it. */
export interface Judges {
  gate: Gate;
  looks: () => number;
  verdict: (options: { exit: ExitInfo; finalState: FinalState; signal: AbortSignal }) => Promise<Verdict>;
  /** Where the gate is off: one look at what there is now, to be taken after the run, when a test asks for it. Null: nothing was handed in. */
  lookLater: (options: { finalResponse: string; signal: AbortSignal }) => Promise<(() => Promise<CoachVerdict>) | null>;
}

export function createJudges({
  task,
  config,
  model,
  log,
  evidence,
  sources,
  points,
  seed,
  scorerPrompt,
  environment,
  step,
  signal,
}: JudgesOptions): Judges {
  const cache: ImageCache = new Map();
  let runLog = '';
  const { concurrency, max_images: maxImages } = config.judge;
  const coach = createCoach({
    required: config.agent.require_self_reflection_success,
    mode: config.agent.gate,
    maxLooks: config.agent.max_looks,
    log,
    step,
    signal,
    async collect(options) {
      const completion = withFacts({ completion: await environment.completion(options), plan: await planOf(environment), points });
      if ('material' in completion && options.run === undefined && completion.material.log !== runLog) {
        runLog = completion.material.log;
        log.append({ type: 'run-log-noted', step: step(), text: runLog });
      }
      return completion;
    },
    fresh: async ({ images }) => withoutEqualFresh([...images, ...(await lookAfresh())]).filter(isFresh),
    ...(environment.kind === 'live' && {
      lookCost: 'The process of your code was ended for the look: `state` is empty now, the pages stay.',
    }),
    look: options =>
      selfReflect({ model, instruction: task.instruction, points, ...options.material, ...options, seed, cache, concurrency, maxImages }),
    exportVerdict: verdict => environment.exportVerdict?.(verdict),
  });
  let freshAt = -1;
  const lookAfresh = async () => {
    freshAt = step();
    const items = (await environment.freshLook?.().catch(() => [])) ?? [];
    log.append({
      type: 'note',
      step: step(),
      text: `the final address was opened anew: ${items.map(({ id, url }) => `${id} ${url}`).join(', ') || 'nothing to see'}`,
    });
    return items;
  };
  let questions = 0;
  environment.attachJudges?.({
    selfReflection: options => coach.selfReflection(options),
    async imageQa({ images, question }) {
      questions += 1;
      const named = images.map((image, index) => ({ id: `image-${index + 1}`, image }));
      return { ...(await imageQa({ model, images: named, question, key: `question-${questions}`, signal })) };
    },
    async scriptProblem(text) {
      if (!config.agent.require_self_reflection_success) return null;
      return scriptProblem({ text, plan: (await planOf(environment)) ?? null, points });
    },
  });

  return {
    gate: coach.gate,
    looks: coach.looks,
    async lookLater({ finalResponse, signal: ends }) {
      const completion = await environment.completion();
      if ('refusal' in completion) return null;
      const { material } = completion;
      const look = { instruction: task.instruction, points, ...material, finalResponse, look: 1, seed, concurrency, maxImages };
      return async () => {
        const verdict = await selfReflect({ model, ...look, signal: ends });
        log.append({ type: 'coach-looked', step: step(), verdict });
        return verdict;
      };
    },
    async verdict({ exit, finalState, signal: ends }) {
      const newest = coach.verdict();
      const isClaim = !config.agent.require_self_reflection_success && exit.exit_status === 'Submitted';
      const reasons =
        newest?.reasons ?? (isClaim ? 'claimed: the gate is off, no judge was asked' : `no look was taken (${exit.exit_status})`);
      const judged: Verdict = { predicted_label: newest?.predicted_label ?? null, reasons, coach: newest, grader: null };
      const gradable = exit.exit_status === 'Submitted' || exit.exit_status === 'LimitsExceeded';
      const { grader: mode } = config.judge;
      if (!gradable || (task.rubric.length + task.checks.length === 0 && mode !== 'webjudge')) return judged;
      if (task.rubric.length > 0 && exit.exit_status === 'Submitted' && freshAt !== step()) await lookAfresh();
      const grader = await grade({
        model,
        task,
        evidence,
        history: historyOf(log.events),
        finalResponse: exit.final_response,
        checks: { finalResponse: exit.final_response, ...finalState, ...sources },
        shortHistory: shortHistoryOf(log.events),
        actions: actionsOf(log.events),
        points,
        mode,
        scorerPrompt,
        seed,
        concurrency,
        maxImages,
        signal: ends,
      });
      return { ...judged, grader };
    },
  };
}

/** The plan of an environment that has one: null when it is not written yet, undefined where there is none to write. */
async function planOf(environment: Environment): Promise<string | null | undefined> {
  return environment.plan ? environment.plan() : undefined;
}
