import type { Config } from '../config/schema/index.ts';
import type { Environment } from '../core/environment.ts';
import type { EvidenceItem, FinalState } from '../core/evidence.ts';
import type { ExitInfo } from '../core/exit.ts';
import type { Message } from '../core/messages.ts';
import type { Model } from '../core/model.ts';
import { type OutcomeResult, outcomeOf } from '../core/outcome.ts';
import type { Task } from '../core/task.ts';
import type { Verdict } from '../core/verdict.ts';
import { drawCriticalPoints } from '../judge/critical-points.ts';
import { writeDebugStep } from '../record/debug-artefacts.ts';
import type { EventLog } from '../record/event-log.ts';
import { type RunFolder, writeJson } from '../record/run-folder.ts';
import { sha256Of } from '../record/sha256.ts';
import { trajectoryOf } from '../record/trajectory.ts';
import type { AnswerFormat } from './answer-format.ts';
import { createCompaction } from './compaction.ts';
import { exitOfError } from './exit-of-error.ts';
import { heldBy } from './held-by.ts';
import { exitMessage } from './interrupt.ts';
import { createJudges, type JudgeSources, type Judges } from './judges.ts';
import { loggedModel } from './logged-model.ts';
import { Loop, type LoopOptions, type StepInfo } from './loop.ts';
import { observationExtra } from './observation-extra.ts';
import { type CriticalPoint, createPrompts } from './prompts.ts';

export interface AttemptOptions {
  task: Task;
  config: Config;
  agentModel: Model;
  judgeModel: Model;
  environment: Environment;
  folder: RunFolder;
  log: EventLog;
  /** Everything captured so far; grows while the attempt runs. */
  evidence: readonly EvidenceItem[];
  /** Server state and requests of the sites under test, for checks. */
  sources: JudgeSources;
  /** Tokens and money used by all roles so far. */
  spent: () => { tokens: number; costUsd: number | null };
  /** Secret from which fences around page text are made: the same in a replay, unknown to pages and agent. */
  seed: string;
  /** The Odysseys scorer's own system prompt, where the config names a file with it. */
  scorerPrompt?: string | undefined;
  /** Milliseconds, monotonic. */
  now: () => number;
  /** Aborted when the host tears down: no model call happens after that. */
  signal: AbortSignal;
  /** Another loop than ours (`agent.agent_class`). */
  makeLoop?: ((options: LoopOptions) => Promise<Pick<Loop, 'run' | 'step'>>) | undefined;
  /** Form of the final answer, when the task asks for data. */
  answer?: AnswerFormat | undefined;
  onStep: <T>(info: StepInfo, act: () => Promise<T>) => Promise<T>;
}

/** One finished attempt. `error` is what threw, for a host that wants to show it as it is. */
export interface Attempt {
  exit: ExitInfo;
  verdict: Verdict;
  outcome: OutcomeResult;
  /** Where the gate was off: asks the coach about what was handed in, once, and concludes anew. Null: it has looked, or there is nothing to look at. */
  askCoach: (() => Promise<Pick<Attempt, 'verdict' | 'outcome'>>) | null;
  steps: number;
  looks: number;
  durationMs: number;
  /** The data of a submitted answer, when the task asked for data. */
  data: unknown;
  error: unknown;
}

/** Runs one task from its start pages to its outcome. Never throws for what the agent, the model or the page did: that is the outcome. */
export async function runAttempt(options: AttemptOptions): Promise<Attempt> {
  const { task, config, environment, folder, log, evidence, sources, spent, now, onStep } = options;
  let startedMs = now();
  const limits = limitsOf(config);
  let clock: AbortSignal | undefined;
  let loop: Pick<Loop, 'run' | 'step'> | undefined;
  const step = () => loop?.step ?? 0;
  const agentModel = loggedModel({ model: options.agentModel, log, step });
  const judgeModel = loggedModel({ model: options.judgeModel, log, step });

  log.append({
    type: 'attempt-started',
    task: publicTask(task),
    config: { agent: config.agent, model: { ...config.model, api_key: null } },
    environment: environment.serialize(),
  });
  const say = (message: Message) => log.append({ type: 'message', step: step(), message });

  let exit: ExitInfo;
  let error: unknown;
  let judges: Judges | undefined;
  try {
    const first = await environment.prepare(task);
    // The agent's time starts when it could: it does not pay for slow start pages, nor for a person who logs in first.
    startedMs = now();
    clock = AbortSignal.timeout(limits.timeMs);
    const signal = AbortSignal.any([options.signal, clock]);
    const { points, sha256 } = await drawCriticalPoints({ model: judgeModel, instruction: task.instruction, signal });
    log.append({ type: 'note', step: 0, text: `critical points ${sha256}: ${JSON.stringify(points)}` });
    const prompts = createPrompts({ config, task, points, environment });
    say({ role: 'system', content: prompts.system(), extra: {} });
    say({ role: 'user', content: [prompts.instance(), options.answer?.instruction].filter(Boolean).join('\n\n'), extra: {} });
    say({ role: 'user', content: prompts.observation({ observation: first, step: 0 }), extra: observationExtra(first) });

    judges = createJudges({
      task,
      config,
      seed: options.seed,
      scorerPrompt: options.scorerPrompt,
      model: judgeModel,
      log,
      evidence,
      sources,
      points,
      environment,
      step,
      signal,
    });
    const loopOptions: LoopOptions = {
      model: agentModel,
      environment,
      log,
      gate: judges.gate,
      limits,
      view: {
        keepLastObservations: config.agent.keep_last_n_observations,
        attachPlan: config.agent.attach_plan_md_after_observation,
        attachTask: config.agent.attach_instance_template_after_observation,
      },
      spent: () => ({ ...spent(), timeMs: now() - startedMs }),
      render: prompts,
      compact: createCompaction({
        everySteps: config.agent.summary_every_n_steps,
        atTokens: config.agent.summary_at_tokens,
        prompt: config.agent.summary_prompt,
        plan: async () => (await environment.plan?.()) ?? null,
        reread: each => environment.reread?.(each) ?? `debug/steps/step_${each}`,
      }),
      attachScreenshot: config.model.attach_observation_screenshot,
      answer: options.answer,
      onStep,
      onTurnEnd: async turn => {
        if (config.agent.debug_log) writeDebugStep({ folder: folder.debug, events: log.events, step: turn });
      },
      signal,
    };
    loop = (await options.makeLoop?.(loopOptions)) ?? new Loop(loopOptions);
    exit = await loop.run();
  } catch (caught) {
    error = caught;
    exit = exitOfError({ error: caught, timedOut: clock?.aborted === true && !options.signal.aborted, aborted: options.signal.aborted });
    say(exitMessage(exit));
  }

  const read = exit.exit_status === 'Submitted' ? await options.answer?.read(exit.submission) : undefined;
  const finalState = await environment.finalState().catch((): FinalState => ({ pages: [], downloads: [] }));
  const gated = config.agent.require_self_reflection_success;
  const conclude = (verdict: Verdict): Pick<Attempt, 'verdict' | 'outcome'> => {
    const outcome = outcomeOf({
      exitStatus: exit.exit_status,
      detail: exit.detail ?? '',
      verdict,
      skipped: exit.skipped,
      tampering: finalState.tampering ?? [],
      gated,
    });
    const sha256 = sha256Of(writeJson(folder.verdict, verdict));
    log.append({ type: 'verdict-given', predicted_label: verdict.predicted_label, sha256 });
    log.append({ type: 'attempt-ended', exit: { ...exit, ...outcome } });
    writeJson(folder.trajectory, trajectoryOf(log.events));
    return { verdict, outcome };
  };
  const judged = (await judges?.verdict({ exit, finalState, signal: options.signal })) ?? unjudged(exit);
  const concluded = conclude({ ...judged, ...heldBy(environment) });
  const isClaim = !gated && exit.exit_status === 'Submitted';
  const look = isClaim ? await judges?.lookLater({ finalResponse: exit.final_response, signal: options.signal }).catch(() => null) : null;
  const askCoach =
    look &&
    (async () => {
      const coach = await look();
      return conclude({ ...concluded.verdict, predicted_label: coach.predicted_label, reasons: coach.reasons, coach });
    });
  return {
    exit,
    ...concluded,
    askCoach: askCoach ?? null,
    steps: step(),
    looks: judges?.looks() ?? 0,
    durationMs: now() - startedMs,
    data: read?.ok ? read.data : undefined,
    error,
  };
}

function limitsOf({ agent, budget }: Config) {
  const minutes = budget.minutes === null ? Number.POSITIVE_INFINITY : budget.minutes * 60_000;
  return {
    steps: agent.step_limit,
    timeMs: Math.min(agent.time_limit_seconds * 1000, minutes),
    tokens: budget.tokens,
    costUsd: budget.usd,
    formatErrors: agent.max_format_errors,
    noActionTurns: agent.max_no_action_turns,
    looks: agent.max_looks,
  };
}

/** What the record says about the task. Rubric and checks stay out: the record is readable while the agent runs. */
function publicTask({ id, instruction, startUrls, level, benchmark, version }: Task): Record<string, unknown> {
  return { id, instruction, startUrls, level, benchmark, version };
}

function unjudged(exit: ExitInfo): Verdict {
  return { predicted_label: null, reasons: `not judged: ${exit.detail ?? exit.exit_status}`, coach: null, grader: null };
}

export type { CriticalPoint };
