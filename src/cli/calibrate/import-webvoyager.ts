import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { z } from 'zod';
import { WebwrightError } from '../../core/errors.ts';
import type { Message } from '../../core/messages.ts';
import type { LabelledAttempt } from '../../judge/labels.ts';
import { EventLog } from '../../record/event-log.ts';
import { EvidenceStore } from '../../record/evidence.ts';
import { runFolderAt, slug, writeJson } from '../../record/run-folder.ts';
import { type ExitCode, exitCodes, type Io } from '../verb.ts';
import { refuseUsed } from './build.ts';

const runSchema = z.looseObject({
  task_id: z.string(),
  task: z.string(),
  start_url: z.string(),
  steps: z.array(z.looseObject({ step: z.number(), screenshot: z.string(), thought: z.string(), action: z.string() })).min(1),
  final_answer: z.string(),
});
type PublishedRun = z.infer<typeof runSchema>;

/**
 * Makes a calibration set of published WebVoyager runs (a folder each, with `trajectory.json` and its screenshots): each as it is, labelled done,
 * and each with the answer of the next one, labelled not done. Addresses and page texts were not published, so judges see images alone.
 */
export function importWebVoyager({ source, folder, io }: { source: string; folder: string; io: Io }): ExitCode {
  refuseUsed(folder);
  const runs = readRuns(source);
  const attempts = runs.flatMap(({ run, path }, index): LabelledAttempt[] => {
    const other = runs[(index + 1) % runs.length]!.run;
    return [
      { answer: run.final_answer, label: 1 as const, kind: 'as published' },
      { answer: other.final_answer, label: 0 as const, kind: "another run's answer" },
    ].map(({ answer, label, kind }) => {
      const id = slug(`${run.task_id} ${kind}`).slice(-8);
      const place = join(folder, 'runs', id);
      writeAttempt({ run, screenshots: path, answer, place });
      return { id, folder: relative(folder, place), label, kind, task: run.task_id };
    });
  });
  const file = join(folder, 'labels.json');
  writeJson(file, { schemaVersion: 1, source: 'published WebVoyager runs, and the same with swapped answers', attempts });
  io.print(`${attempts.length} attempts: ${relative(io.cwd, file)}`);
  return exitCodes.ok;
}

function readRuns(source: string): { run: PublishedRun; path: string }[] {
  const names = existsSync(source) ? readdirSync(source).sort() : [];
  const paths = names.map(name => join(source, name)).filter(path => existsSync(join(path, 'trajectory.json')));
  const fail = (seen: string) =>
    new WebwrightError({
      code: 'DATA_MISSING',
      what: `${source} holds no published WebVoyager runs`,
      seen,
      remedy: 'give the folder whose subfolders hold trajectory.json and screenshots',
    });
  if (paths.length < 2) throw fail(`${paths.length} folders with a trajectory.json, and swapping answers takes two`);
  return paths.map(path => {
    const parsed = runSchema.safeParse(JSON.parse(readFileSync(join(path, 'trajectory.json'), 'utf8')));
    if (!parsed.success) throw fail(`${path}: ${parsed.error.issues[0]?.path.join('.')}: ${parsed.error.issues[0]?.message}`);
    return { run: parsed.data, path };
  });
}

/** The run as a run folder of ours, as far as it was published. */
function writeAttempt({
  run,
  screenshots,
  answer,
  place,
}: {
  run: PublishedRun;
  screenshots: string;
  answer: string;
  place: string;
}): void {
  mkdirSync(place, { recursive: true });
  const folder = runFolderAt(place);
  const log = new EventLog({ path: folder.events, now: () => new Date(0) });
  const evidence = new EvidenceStore({ folder: folder.evidence });
  const say = (step: number, content: string) => {
    const message: Message = { role: 'assistant', content, extra: {} };
    log.append({ type: 'message', step, message });
  };
  const { task_id: id, task: instruction, steps, start_url: startUrl } = run;
  log.append({ type: 'attempt-started', task: { id, instruction }, config: {}, environment: { kind: 'imported' } });
  for (const [index, { screenshot, thought, action }] of steps.entries()) {
    // WebVoyager's screenshot is what the agent saw before it acted.
    evidence.add({
      step: index,
      source: 'harness',
      label: index === steps.length - 1 ? 'tab' : 'step',
      url: index === 0 ? startUrl : '',
      bytes: readFileSync(join(screenshots, screenshot)),
      mediaType: 'image/png',
    });
    // The last action is the answer, which is judged as what it is: the final response.
    if (index < steps.length - 1) say(index + 1, JSON.stringify({ thought, dsl: action }));
  }
  log.append({ type: 'attempt-ended', exit: { exit_status: 'Submitted', final_response: answer } });
  log.close();
  const rubric = [
    {
      id: 'R1',
      requirement: 'The task is done, and the final response answers it rightly and completely.',
      verification:
        'The screenshots show the pages on which the answer stands. Numbers and the boxes around elements were drawn in when they were captured; they are not part of the pages.',
    },
  ];
  writeJson(folder.runJson, { schemaVersion: 1, task: { id, instruction, startUrls: [startUrl], rubric, checks: [] } });
}
