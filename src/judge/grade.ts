import type { EvidenceItem } from '../core/evidence.ts';
import type { Model } from '../core/model.ts';
import type { Task } from '../core/task.ts';
import type { GraderVerdict, ItemVerdict } from '../core/verdict.ts';
import type { CheckContext } from './checks/check-kind.ts';
import { runChecks } from './checks/run-checks.ts';
import type { CriticalPoint } from './critical-points.ts';
import { digestOf } from './digest.ts';
import { gradeByProtocol } from './grade-by-protocol.ts';
import { gradeRobustly } from './grade-robustly.ts';
import { openSession, withoutVerdict } from './grader-session.ts';
import { validateImages } from './images.ts';
import type { GradedAttempt } from './item-request.ts';
import { newRecord } from './judge-record.ts';
import { citableCheck, citableFile } from './saved-files.ts';
import { webJudge, webJudgeItem } from './webjudge.ts';

/**
 * `robust` is ours; `odysseys-protocol` follows that benchmark's own scorer; `webjudge` follows Online-Mind2Web's, which asks for no rubric and
 * gives one verdict on the whole task (DESIGN §6).
 */
export type GradeMode = 'robust' | 'odysseys-protocol' | 'webjudge';

export interface GradeOptions {
  /** Null: no judge is configured; checks still run, rubric items stay `unasked`. */
  model: Model | null;
  task: Pick<Task, 'instruction' | 'rubric' | 'checks'>;
  /** Everything captured in the attempt, in step order. */
  evidence: readonly EvidenceItem[];
  /** One numbered entry a step: what the agent wrote and did, and what came of it. */
  history: string;
  /** The same in short, for `robust`; left out: the history, cut. */
  shortHistory?: string;
  /** What the agent did, in order, without its thoughts, for `webjudge`. */
  actions?: readonly string[];
  finalResponse: string;
  /** Critical points drawn before, which `webjudge` takes as its key points; left out: it draws its own. */
  points?: readonly CriticalPoint[];
  checks: CheckContext;
  /** Secret of the attempt from which fences and canary are made. */
  seed: string;
  signal: AbortSignal;
  mode?: GradeMode;
  /** Text of the Odysseys scorer's own system prompt, where a person has it; ours otherwise. */
  scorerPrompt?: string | undefined;
  /** Calls under way at once in `robust` mode; the protocol asks one after the other. */
  concurrency?: number;
  /** Images per call (the scorer's cap was 200 before May 2026, then none; reference: benchmarks.md §2.6 step 5). */
  maxImages?: number;
}

/**
 * Grades a finished attempt once: checks by code first, then the rubric, one judge call per item (`item-<id>`). `robust` adds a
 * relevance pass over long runs (`relevance-1` …), two more votes on borderline items (`item-<id>/vote-2`) and, where anything
 * passed, a canary (`item-canary`). It does not throw for the judge: one that cannot be asked leaves items `unasked`, which is neither
 * pass nor fail; three malformed replies are `cannot-tell`.
 *
 * @example
 * const { items } = await grade({ model, task, evidence: store.items, history, finalResponse, checks, seed, signal });
 */
export async function grade({ task, checks, ...options }: GradeOptions): Promise<GraderVerdict> {
  const checked = await runChecks({ checks: task.checks, context: checks });
  return gradeRubric({ ...options, task, checked, context: checks });
}

/** {@link grade} with checks that have been decided before, e.g. from the record of an attempt. */
export async function gradeRubric({
  model,
  task,
  evidence,
  history,
  shortHistory = history,
  actions = [],
  points,
  finalResponse,
  checked,
  context,
  seed,
  signal,
  mode = 'odysseys-protocol',
  scorerPrompt,
  concurrency = 4,
  maxImages = 200,
}: Omit<GradeOptions, 'checks'> & {
  checked: readonly ItemVerdict[];
  /** What is known about the end of the attempt, for the facts of `robust`. */
  context: Pick<CheckContext, 'pages' | 'downloads' | 'finalResponse'>;
}): Promise<GraderVerdict> {
  const { instruction } = task;
  const rubric = mode === 'webjudge' ? [webJudgeItem] : task.rubric;
  const protocol = protocolName({ mode, scorerPrompt });
  const record = newRecord();
  const obstacle = rubric.length === 0 ? null : model ? await obstacleTo(evidence) : 'no judge model is configured';
  if (!model || obstacle !== null || rubric.length === 0) {
    const items = rubric.map(item => withoutVerdict({ item, status: 'unasked', reason: obstacle ?? 'no judge model is configured' }));
    return { items: [...checked, ...items], model: model?.name ?? 'none', protocol, record };
  }
  if (mode === 'webjudge') {
    const judged = await webJudge({ model, instruction, evidence, actions, seed, signal, concurrency, ...(points && { points }) });
    return { ...judged, items: [...checked, ...judged.items], protocol };
  }
  const facts = mode === 'robust' ? [...context.downloads.map(citableFile), ...checked.map(citableCheck)] : [];
  const session = openSession({ model, evidence: [...evidence, ...facts], record, signal });
  const steps = new Set(evidence.map(({ step }) => step)).size;
  const attempt: GradedAttempt = { instruction, history, shortHistory, finalResponse, steps };
  const shared = { session, rubric, attempt, evidence, seed, maxImages };
  const items =
    mode === 'robust'
      ? await gradeRobustly({ ...shared, checked, context, concurrency })
      : await gradeByProtocol({ ...shared, scorerPrompt });
  return { items: [...checked, ...items], model: session.judge, protocol, record };
}

function protocolName({ mode, scorerPrompt }: { mode: GradeMode; scorerPrompt: string | undefined }): string {
  if (mode === 'robust') return 'robust';
  if (mode === 'odysseys-protocol' && scorerPrompt !== undefined) return `${mode} (prompt file ${digestOf(scorerPrompt).slice(0, 12)})`;
  return `${mode} (own prompts, not leaderboard-comparable)`;
}

/** Why no judge may be asked, or null: an attempt without evidence has nothing to check. */
async function obstacleTo(evidence: readonly EvidenceItem[]): Promise<string | null> {
  if (evidence.length === 0) return 'nothing to check: no evidence was captured';
  try {
    await validateImages(evidence);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
