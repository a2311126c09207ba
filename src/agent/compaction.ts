import type { Event } from '../core/events.ts';
import type { Message } from '../core/messages.ts';
import type { Model } from '../core/model.ts';
import type { EventLog } from '../record/event-log.ts';

export interface CompactionOptions {
  /** Turns between two compactions; 0: never by turns (Webwright's `summary_every_n_steps`). */
  everySteps: number;
  /** Input tokens of a request from which the conversation is compacted; 0: never by size. */
  atTokens: number;
  prompt: string;
  /** How to read a step's output again, for the list of steps: `logs/step_0003.log`, `await recall(3)`. */
  reread: (step: number) => string;
  /** The agent's plan as it stands, kept verbatim; null when there is none. */
  plan: () => Promise<string | null>;
}

/** Turns that stay verbatim after the summary. */
const keptTurns = 2;
/** Limit of the summary, in tokens. */
const maxSummaryTokens = 4_000;
const maxPlanChars = 8_000;

/**
 * Decides after each turn whether the conversation is compacted, and does it. The record is untouched: a `history-compacted`
 * event changes the view. Each threshold fires once: by turns, counted from the last compaction; by size, armed again when a
 * request was below it. A summary that fails is noted, and the attempt goes on with the long conversation.
 */
export function createCompaction({ everySteps, atTokens, prompt, reread, plan }: CompactionOptions) {
  let lastStep = 0;
  let armed = true;

  return async ({
    step,
    inputTokens,
    model,
    log,
    view,
    signal,
  }: {
    step: number;
    /** Of the turn's last request. */
    inputTokens: number;
    model: Model;
    log: EventLog;
    view: () => Message[];
    signal: AbortSignal;
  }): Promise<void> => {
    if (inputTokens < atTokens) armed = true;
    const bySteps = everySteps > 0 && step - lastStep >= everySteps;
    const bySize = atTokens > 0 && armed && inputTokens >= atTokens;
    if (!bySteps && !bySize) return;
    const upToStep = cutBefore({ events: log.events, step });
    // A delta still needs the beginning: due again after the next turn.
    if (upToStep < 1) return;
    lastStep = step;
    armed = false;
    try {
      const request: Message = { role: 'user', content: prompt, extra: { interrupt_type: 'HistoryCompactionRequest' } };
      const reply = await model.complete({
        role: 'compaction',
        key: `compaction-${step}`,
        messages: [...view(), request],
        maxOutputTokens: maxSummaryTokens,
        signal,
      });
      const text = reply.text.trim();
      if (text === '' || reply.finishReason !== 'stop') throw new Error(`no usable summary (${reply.finishReason})`);
      const summary = summaryText({ text, upToStep, plan: await plan(), steps: stepLines({ events: log.events, upToStep, reread }) });
      log.append({ type: 'history-compacted', step, summary, upToSeq: lastSeqOf({ events: log.events, step: upToStep }) });
    } catch (error) {
      signal.throwIfAborted();
      log.append({ type: 'note', step, text: `compaction failed, the conversation stays as it is: ${(error as Error).message}` });
    }
  };
}

/** The last step that goes into the summary: the newest turns stay, and so does a snapshot that one of them refers to. */
function cutBefore({ events, step }: { events: readonly Event[]; step: number }): number {
  const kept = events.filter(event => event.type === 'message' && event.step > step - keptTurns);
  const bases = kept.flatMap(event => (event.type === 'message' ? [Number(event.message.extra['base_step'] ?? event.step)] : []));
  return Math.min(step - keptTurns, ...bases.map(base => base - 1));
}

function lastSeqOf({ events, step }: { events: readonly Event[]; step: number }): number {
  return events.findLast(event => event.type === 'message' && event.step <= step)?.seq ?? 0;
}

/** One line per step: what it did and how to read it again. */
function stepLines({
  events,
  upToStep,
  reread,
}: {
  events: readonly Event[];
  upToStep: number;
  reread: (step: number) => string;
}): string[] {
  return events.flatMap(event => {
    if (event.type !== 'action-started' || event.step > upToStep) return [];
    const line = event.code.trim().split('\n')[0] ?? '';
    return [`- step ${event.step}: ${line.slice(0, 100)}${line.length > 100 ? '…' : ''} (again: ${reread(event.step)})`];
  });
}

function summaryText({ text, upToStep, plan, steps }: { text: string; upToStep: number; plan: string | null; steps: string[] }): string {
  return [
    `[summary of steps 1–${upToStep}, written by you]`,
    text,
    ...(plan ? [`[your plan.md]\n${plan.slice(0, maxPlanChars)}`] : []),
    `[what the steps did]\n${steps.join('\n') || '(no action)'}`,
    '[end of the summary]',
  ].join('\n\n');
}
