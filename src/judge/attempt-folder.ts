import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { WebwrightError } from '../core/errors.ts';
import type { Event } from '../core/events.ts';
import type { EvidenceItem } from '../core/evidence.ts';
import { checkSchema, rubricItemSchema, type Task } from '../core/task.ts';
import type { GraderVerdict, Verdict } from '../core/verdict.ts';
import { readEvents } from '../record/event-log.ts';
import { runFolderAt } from '../record/run-folder.ts';
import { readEvidence } from './recorded-attempt.ts';

/** A finished attempt as it can be judged again: read from its run folder, nothing else. */
export interface AttemptFolder {
  path: string;
  task: Pick<Task, 'id' | 'instruction' | 'rubric' | 'checks'>;
  events: Event[];
  evidence: EvidenceItem[];
  /** The coach's and grader's word in `verdict.json`; null where there is none. */
  verdict: Verdict | null;
  grader: GraderVerdict | null;
}

const runSchema = z.looseObject({
  task: z.looseObject({
    id: z.string(),
    instruction: z.string(),
    rubric: z.array(rubricItemSchema).optional(),
    checks: z.array(checkSchema).default([]),
  }),
});

/** Reads a run folder for judging. Throws DATA_MISSING that says what is not there; evidence that was changed is found when it is judged. */
export function readAttemptFolder(path: string): AttemptFolder {
  const places = runFolderAt(path);
  const missing = (seen: string, remedy: string) =>
    new WebwrightError({ code: 'DATA_MISSING', what: `Not to be judged: ${path}`, seen, remedy });
  if (!existsSync(places.runJson) || !existsSync(places.events))
    throw missing('no run.json or no events.jsonl', 'give the folder of one attempt, reports/runs/<run>/<test>/<k>');
  const run = runSchema.safeParse(jsonOf(places.runJson));
  if (!run.success) throw missing('run.json is not one of ours', 'give the folder of one attempt');
  const { task } = run.data;
  if (!task.rubric) throw missing('run.json holds no rubric: the attempt did not come to its end', 'judge an attempt that did');
  const verdict = existsSync(places.verdict) ? (jsonOf(places.verdict) as Verdict | null) : null;
  return {
    path,
    task: { id: task.id, instruction: task.instruction, rubric: task.rubric, checks: task.checks },
    events: readEvents(places.events),
    evidence: existsSync(join(places.evidence, 'index.jsonl')) ? readEvidence(places.evidence) : [],
    verdict,
    grader: verdict?.grader ?? null,
  };
}

function jsonOf(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return null;
  }
}
