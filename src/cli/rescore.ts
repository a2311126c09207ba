import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { type Outcome, outcomeOf } from '../core/outcome.ts';
import type { GraderVerdict, Verdict } from '../core/verdict.ts';
import { type AttemptFolder, readAttemptFolder } from '../judge/attempt-folder.ts';
import { rescore } from '../judge/rescore.ts';
import { writeJson } from '../record/run-folder.ts';
import { findAttempts } from './judge/find-attempts.ts';
import { openJudge } from './judge/open-judge.ts';
import { configFlag } from './load-stack.ts';
import { exitCodes, listFlag, type Verb } from './verb.ts';

/** `webwright rescore`: finished attempts judged again from their record, without a browser and without the agent. */
export const rescoreRuns: Verb = {
  summary: 'judges finished attempts again from their record, without a browser',
  usage: '<results.jsonl | run folder>… [-c SPEC]…',
  details: [
    '-c SPEC   the judge, as in webwright config: model_openai.yaml, judge.model.model_name=…, judge.grader=odysseys-protocol',
    'Checks keep their results; each rubric item is asked again. The new verdict is written beside the old one, as verdict-2.json,',
    'verdict-3.json …; no file that is there is changed.',
    'Exit code 0 when every item has the status it had, 1 when one changed, 6 when a judge could not be asked about one.',
  ],
  flags: { ...configFlag },
  positionals: { min: 1, max: Number.POSITIVE_INFINITY },
  async run({ flags, positionals, io }) {
    // All are read before the first is paid for.
    const attempts = findAttempts({ paths: positionals, cwd: io.cwd }).map(readAttemptFolder);
    const judge = await openJudge({ specs: listFlag(flags['config']), io });
    const { configuration, config } = judge;
    io.print(`judge: ${configuration.model}, ${configuration.grader}; ${attempts.length} attempts`);
    let changed = false;
    let unasked = false;
    for (const attempt of attempts) {
      io.print(`${attempt.task.id}  ${relative(io.cwd, attempt.path)}`);
      if (attempt.task.rubric.length === 0 && config.judge.grader !== 'webjudge') {
        io.print('  no rubric: checks and self-reflection stand as they are');
        continue;
      }
      const { verdict, changes } = await rescore({
        model: judge.forAttempt(),
        task: attempt.task,
        events: attempt.events,
        evidence: attempt.evidence,
        before: attempt.grader,
        seed: randomBytes(16).toString('hex'),
        signal: io.signal,
        mode: config.judge.grader,
        scorerPrompt: judge.scorerPrompt,
        concurrency: config.judge.concurrency,
        maxImages: config.judge.max_images,
      });
      if (io.signal.aborted) return exitCodes.interrupted;
      for (const item of verdict.items) {
        const change = changes.find(({ id }) => id === item.id);
        io.print(`  ${item.id}: ${change ? `${change.before ?? 'not judged'} -> ${item.status}` : item.status}  ${oneLine(item.reason)}`);
      }
      const { before, after } = outcomesOf({ attempt, verdict });
      io.print(`  outcome: ${before === after ? after : `${before} -> ${after}`}`);
      changed ||= changes.length > 0;
      unasked ||= verdict.items.some(({ status }) => status === 'unasked');
      const path = freeName(attempt.path);
      writeJson(path, {
        schemaVersion: 1,
        judgedAt: new Date().toISOString(),
        judge: configuration,
        grader: verdict,
        changes,
        outcome: after,
      });
      io.print(`  ${relative(io.cwd, path)}`);
    }
    io.print(judge.spentText());
    return unasked ? exitCodes.unscored : changed ? exitCodes.failed : exitCodes.ok;
  },
};

const noVerdict: Verdict = { predicted_label: null, reasons: '', coach: null, grader: null };

/** The outcome that was, and the one that the new verdict gives; what no judge decided (a limit, tampering, an error) stays. */
function outcomesOf({ attempt, verdict: grader }: { attempt: AttemptFolder; verdict: GraderVerdict }): { before: Outcome; after: Outcome } {
  const ended = attempt.events.findLast(event => event.type === 'attempt-ended');
  const before = ((ended?.type === 'attempt-ended' && ended.exit['outcome']) || 'errored') as Outcome;
  if (before !== 'passed' && before !== 'failed' && before !== 'unscored') return { before, after: before };
  const verdict = { ...(attempt.verdict ?? noVerdict), grader };
  return { before, after: outcomeOf({ exitStatus: 'Submitted', detail: '', verdict }).outcome };
}

function freeName(folder: string): string {
  let number = 2;
  while (existsSync(join(folder, `verdict-${number}.json`))) number += 1;
  return join(folder, `verdict-${number}.json`);
}

function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{C}+/gu, ' ')
    .slice(0, 200);
}
