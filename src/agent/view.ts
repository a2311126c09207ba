import type { Event } from '../core/events.ts';
import { type Message, type Part, textOf } from '../core/messages.ts';

export interface ViewOptions {
  /** How many of the newest observations keep their bulky parts; 0 keeps all (Webwright's `keep_last_n_observations`). */
  keepLastObservations: number;
  /** Repeat the current plan.md after the newest observation. */
  attachPlan?: boolean;
  /** Repeat the task after the newest observation. */
  attachTask?: boolean;
}

type MessageEvent = Extract<Event, { type: 'message' }>;

/**
 * The messages sent to the model: a pure function of the record. Pruning and compaction change this view, never the record.
 *
 * Pruning moves in batches of `keepLastObservations`, so that between two moves consecutive requests share their whole prefix
 * (prompt caching). A full snapshot that a kept delta refers to (`extra.base_step`) stays.
 *
 * @example
 * contextView(log.events, { keepLastObservations: 4 });
 */
export function contextView(events: readonly Event[], options: ViewOptions): Message[] {
  const { keepLastObservations } = options;
  const messages = events.filter(event => event.type === 'message');
  const compaction = events.findLast(event => event.type === 'history-compacted');
  const head = messages.filter(event => event.step === 0);
  const tail = messages.filter(event => event.step > 0 && event.message.role !== 'exit' && event.seq > (compaction?.upToSeq ?? -1));
  const summary: Message[] = compaction
    ? [{ role: 'user', content: compaction.summary, extra: { interrupt_type: 'HistoryCompactionSummary' } }]
    : [];

  const observations = [...head, ...tail].filter(isObservation);
  const prunedCount =
    keepLastObservations > 0 ? Math.max(0, Math.floor(observations.length / keepLastObservations - 1)) * keepLastObservations : 0;
  const keepFrom = observations.slice(prunedCount).map(event => Number(event.message.extra['base_step'] ?? event.step));
  const firstKept = Math.min(...keepFrom, Number.POSITIVE_INFINITY);
  const pruned = new Set(observations.slice(0, prunedCount).filter(event => event.step < firstKept));
  const withImage = observations.findLast(
    event => typeof event.message.content !== 'string' && event.message.content.some(part => part.type === 'image'),
  );

  const show = (event: MessageEvent): Message => (pruned.has(event) ? prune(event) : dropOldImages(event, event === withImage));
  return [...head.map(show), ...summary, ...tail.map(show), ...reminders({ events, head, last: tail.at(-1), options })];
}

function isObservation(event: MessageEvent): boolean {
  return event.message.extra['observation'] !== undefined;
}

/** Volatile text goes last, and never into the middle of what later requests share. */
function reminders({
  events,
  head,
  last,
  options,
}: {
  events: readonly Event[];
  head: MessageEvent[];
  last: MessageEvent | undefined;
  options: ViewOptions;
}): Message[] {
  if (!last || !isObservation(last)) return [];
  const plan = options.attachPlan ? events.findLast(event => event.type === 'plan-noted') : undefined;
  const task = options.attachTask
    ? head.find(({ message }) => message.role === 'user' && message.extra['observation'] === undefined)
    : undefined;
  return [
    ...(task ? [{ ...task.message, extra: { interrupt_type: 'TaskReminder' } }] : []),
    ...(plan
      ? [{ role: 'user' as const, content: `Your plan.md as it stands:\n${plan.text}`, extra: { interrupt_type: 'PlanReminder' } }]
      : []),
  ];
}

/** Replaces the bulky texts that the observation named in `extra.prunable`, and its images, by one line each. */
function prune({ step, message }: MessageEvent): Message {
  const bulky = (message.extra['prunable'] as string[] | undefined) ?? [];
  let text = textOf(message);
  for (const part of bulky) text = text.replace(part, () => `[left out: ${part.length} characters of step ${step}]`);
  return { ...message, content: text };
}

/** Only the newest screenshot is sent: an outdated one never, an unchanged one not twice. */
function dropOldImages({ step, message }: MessageEvent, newest: boolean): Message {
  if (newest || typeof message.content === 'string' || message.extra['observation'] === undefined) return message;
  const content = message.content.map(
    (part): Part => (part.type === 'image' ? { type: 'text', text: `[screenshot of step ${step} left out]` } : part),
  );
  return { ...message, content };
}
