import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../core/events.ts';
import type { EvidenceItem } from '../core/evidence.ts';
import { textOf } from '../core/messages.ts';

/** What the agent wrote and did, one numbered entry a step: its whole turns, observations left out (the order of Odysseys' scorer; reference: benchmarks.md §2.6 step 4). */
export function historyOf(events: readonly Event[]): string {
  return events
    .flatMap(event => (event.type === 'message' && event.message.role === 'assistant' ? [`${event.step}. ${textOf(event.message)}`] : []))
    .join('\n');
}

/** The final response with which an attempt ended; empty when it did not finish. */
export function finalResponseOf(events: readonly Event[]): string {
  const end = events.findLast(event => event.type === 'attempt-ended');
  const response = end?.type === 'attempt-ended' ? end.exit['final_response'] : '';
  return typeof response === 'string' ? response : '';
}

/** The index of an evidence folder, with absolute image paths. Bytes are checked when they are judged. A last line that was cut off is ignored. */
export function readEvidence(folder: string): EvidenceItem[] {
  const lines = readFileSync(join(folder, 'index.jsonl'), 'utf8').split('\n');
  lines.pop();
  return lines.map(line => {
    const item = JSON.parse(line) as EvidenceItem;
    return { ...item, image: { ...item.image, path: join(folder, item.image.path) } };
  });
}
