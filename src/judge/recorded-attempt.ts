import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../core/events.ts';
import type { Download, EvidenceItem } from '../core/evidence.ts';
import { textOf } from '../core/messages.ts';
import { headAndTail } from './clean-text.ts';
import { parseWholeJson } from './parse-json.ts';

/**
 * What the agent wrote and did, one numbered entry a step: its whole turns, observations left out (the order of Odysseys' scorer; reference:
 * benchmarks.md §2.6 step 4). Below it the log of the run that was handed in last.
 */
export function historyOf(events: readonly Event[]): string {
  const turns = events.flatMap(event =>
    event.type === 'message' && event.message.role === 'assistant' ? [`${event.step}. ${textOf(event.message)}`] : [],
  );
  const log = runLogOf(events);
  return [turns.join('\n'), ...(log ? [`Log of the run that was handed in:\n${log}`] : [])].join('\n\n');
}

/** Characters of one step in {@link shortHistoryOf}. */
const shortStep = 500;

/**
 * What the agent did, one numbered entry a step, without its thoughts: a judge is given evidence, not the agent's view of itself (reference:
 * lessons-and-evals.md B10). The actions of a turn are its code; a turn that is no object is left out.
 */
export function actionsOf(events: readonly Event[]): string[] {
  return events.flatMap(event => {
    if (event.type !== 'message' || event.message.role !== 'assistant') return [];
    const turn = parseWholeJson(textOf(event.message));
    const code = turn && ['playwright_code', 'bash_command', 'dsl'].map(field => turn[field]).find(value => typeof value === 'string');
    return code ? [String(code)] : [];
  });
}

/**
 * The actions in a few lines each, and the log of the run that was handed in, for a prompt that many calls share. Outside of a workspace that log is
 * the list of actions with what came of them, and goes alone.
 */
export function shortHistoryOf(events: readonly Event[]): string {
  const runLog = runLogOf(events);
  const started = events.find(event => event.type === 'attempt-started');
  const isWorkspace = started?.type !== 'attempt-started' || started.environment['kind'] === 'workspace';
  if (runLog && !isWorkspace) return headAndTail({ text: runLog, limit: 10_000 });
  const steps = actionsOf(events).map((code, index) => `${index + 1}. ${headAndTail({ text: code.trim(), limit: shortStep })}`);
  return [...steps, ...(runLog ? [`Log of the run that was handed in:\n${headAndTail({ text: runLog, limit: 4_000 })}`] : [])].join('\n');
}

/** Log of the run that was handed in last; empty in live mode before the first `done`, and where there is none. */
function runLogOf(events: readonly Event[]): string {
  const noted = events.findLast(event => event.type === 'run-log-noted');
  return noted?.type === 'run-log-noted' ? noted.text : '';
}

/** The final response with which an attempt ended; empty when it did not finish. */
export function finalResponseOf(events: readonly Event[]): string {
  const end = events.findLast(event => event.type === 'attempt-ended');
  const response = end?.type === 'attempt-ended' ? end.exit['final_response'] : '';
  return typeof response === 'string' ? response : '';
}

/** Files that the browser saved, as the events hold them. */
export function downloadsOf(events: readonly Event[]): Download[] {
  return events.flatMap(event => {
    if (event.type !== 'download-kept') return [];
    const { id, name, url, bytes, sha256, text, file } = event;
    return [{ id, name, url, bytes, sha256, text, path: file }];
  });
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
