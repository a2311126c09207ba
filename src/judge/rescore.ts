import type { Event } from '../core/events.ts';
import type { EvidenceItem } from '../core/evidence.ts';
import type { Model } from '../core/model.ts';
import type { Task } from '../core/task.ts';
import type { GraderVerdict, ItemVerdict } from '../core/verdict.ts';
import { type GradeMode, gradeRubric } from './grade.ts';
import { actionsOf, downloadsOf, finalResponseOf, historyOf, shortHistoryOf } from './recorded-attempt.ts';

/** An item whose status a second judgement changed; null: it was not in that judgement. */
export interface ItemChange {
  id: string;
  before: ItemVerdict['status'] | null;
  after: ItemVerdict['status'] | null;
}

/**
 * Judges a recorded attempt again, without a browser. Results of checks are taken over as they stand; a check that was never run stays
 * undecided and fails. Items that could not be asked before are asked now.
 *
 * @example
 * const { verdict, changes } = await rescore({ model, task, events: readEvents(path), evidence: readEvidence(folder), before, seed, signal });
 */
export async function rescore({
  model,
  task,
  events,
  evidence,
  before,
  seed,
  signal,
  ...options
}: {
  model: Model;
  task: Pick<Task, 'instruction' | 'rubric' | 'checks'>;
  events: readonly Event[];
  evidence: readonly EvidenceItem[];
  /** The verdict in the attempt's `verdict.json`. */
  before: GraderVerdict | null;
  seed: string;
  signal: AbortSignal;
  mode?: GradeMode;
  scorerPrompt?: string | undefined;
  concurrency?: number;
  maxImages?: number;
}): Promise<{ verdict: GraderVerdict; changes: ItemChange[] }> {
  const finalResponse = finalResponseOf(events);
  const checked = task.checks.map(({ id, kind }): ItemVerdict => {
    const recorded = before?.items.find(item => item.kind === 'check' && item.id === id);
    if (recorded) return recorded;
    return {
      id,
      kind: 'check',
      requirement: `check ${kind}`,
      status: 'fail',
      reason: 'was not run in the attempt; a record cannot decide it',
      evidence: [],
    };
  });
  const verdict = await gradeRubric({
    ...options,
    model,
    task,
    evidence,
    history: historyOf(events),
    shortHistory: shortHistoryOf(events),
    actions: actionsOf(events),
    finalResponse,
    checked,
    // The live pages are gone; what was seen of them at the end is in the evidence.
    context: { finalResponse, pages: finalPages(evidence), downloads: downloadsOf(events) },
    seed,
    signal,
  });
  return { verdict, changes: changesBetween({ before: before?.items ?? [], after: verdict.items }) };
}

/** Items whose status differs between two judgements, in the order of the later one; the share of them is the flip rate. */
export function changesBetween({ before, after }: { before: readonly ItemVerdict[]; after: readonly ItemVerdict[] }): ItemChange[] {
  const name = ({ kind, id }: ItemVerdict) => `${kind} ${id}`;
  const old = new Map(before.map(item => [name(item), item.status]));
  const now = new Set(after.map(name));
  return [
    ...after.map(item => ({ id: item.id, before: old.get(name(item)) ?? null, after: item.status })),
    ...before.filter(item => !now.has(name(item))).map(item => ({ id: item.id, before: item.status, after: null })),
  ].filter(change => change.before !== change.after);
}

function finalPages(evidence: readonly EvidenceItem[]) {
  return evidence
    .filter(({ source, label }) => source === 'harness' && label === 'tab')
    .map(({ url, title, text }) => ({ url, title, text, current: false, texts: async () => [] }));
}
