import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { WebwrightError } from '../core/errors.ts';
import { readAttemptFolder } from '../judge/attempt-folder.ts';
import { keepCalibration } from '../judge/calibration-file.ts';
import { validateImages } from '../judge/images.ts';
import { type LabelledAttempt, parseLabels } from '../judge/labels.ts';
import { buildSet } from './calibrate/build.ts';
import { figuresOf, flipRateOf, pairsOf, rightByKind } from './calibrate/figures.ts';
import { importWebVoyager } from './calibrate/import-webvoyager.ts';
import { type Judgement, judgeAttempts, type Subject } from './calibrate/judge-attempts.ts';
import { figureLines, shareText } from './calibrate/report.ts';
import { sampled } from './calibrate/sample.ts';
import { openJudge } from './judge/open-judge.ts';
import { configFlag } from './load-stack.ts';
import { UsageError } from './parse-flags.ts';
import { countFlag, type ExitCode, exitCodes, type FlagValues, type Io, listFlag, textFlag, type Verb } from './verb.ts';

/** `webwright calibrate`: how far a judge agrees with labels, and the attempts to find that out with. */
export const calibrate: Verb = {
  summary: 'measures a judge against labelled attempts',
  usage: '--labels FILE [-c SPEC]… [--passes N] [--sample N] [-o FILE] | --build FOLDER [--webvoyager FOLDER]',
  details: [
    '--labels FILE        attempts with their labels, or pairs of labels (docs/judging.md)',
    '-c SPEC              the judge, as in webwright config',
    '--passes N           judge everything N times and count the items that flip; default 1',
    '--sample N           only N attempts, half of each class, always the same ones',
    '-o FILE              where the result is kept; default: judge.calibration_file',
    '--build FOLDER       makes the built-in set there: 40 attempts on the embedded sites, half of them planted failures; no model is asked',
    '--webvoyager FOLDER  with --build: makes a set of the published WebVoyager runs in FOLDER instead, each also with the answer of another',
    'What was judged is kept beside the labels: the same command goes on after an interruption.',
    'Exit code 0 when everything was judged, 6 when a judge could not be asked about something, 130 after an interruption.',
  ],
  flags: {
    ...configFlag,
    labels: { type: 'string' },
    passes: { type: 'string' },
    sample: { type: 'string' },
    output: { type: 'string', short: 'o' },
    build: { type: 'string' },
    webvoyager: { type: 'string' },
  },
  positionals: { min: 0, max: 0 },
  async run({ flags, io }) {
    const build = textFlag(flags['build']);
    const labels = textFlag(flags['labels']);
    if ((build === undefined) === (labels === undefined))
      throw new UsageError({
        what: 'webwright calibrate needs either --labels or --build',
        seen: labels === undefined ? 'neither' : 'both',
        remedy: 'webwright calibrate --build reports/calibration, then --labels reports/calibration/labels.json',
      });
    if (build === undefined) return measure({ file: resolve(io.cwd, labels!), flags, io });
    const folder = resolve(io.cwd, build);
    const webvoyager = textFlag(flags['webvoyager']);
    return webvoyager === undefined ? buildSet({ folder, io }) : importWebVoyager({ source: resolve(io.cwd, webvoyager), folder, io });
  },
};

async function measure({ file, flags, io }: { file: string; flags: FlagValues; io: Io }): Promise<ExitCode> {
  const json = textIn(file);
  const labels = parseLabels({ json, file });
  if ('judges' in labels) {
    for (const { name, pairs } of labels.judges) {
      io.print(`${name}:`);
      for (const line of figureLines(figuresOf(pairs))) io.print(`  ${line}`);
    }
    return exitCodes.ok;
  }
  const passes = countFlag({ flags, name: 'passes' }) ?? 1;
  const subjects = await readSubjects({
    attempts: sampled({ attempts: labels.attempts, size: countFlag({ flags, name: 'sample' }) }),
    file,
  });
  const judge = await openJudge({ specs: listFlag(flags['config']), io });
  const { configuration, config } = judge;
  io.print(`judge: ${configuration.model}, ${configuration.grader}, configuration ${configuration.digest.slice(0, 12)}`);
  io.print(`${subjects.length} attempts, judged ${passes === 1 ? 'once' : `${passes} times`}`);
  let done = 0;
  let judgements: Judgement[];
  try {
    judgements = await judgeAttempts({
      subjects,
      passes,
      judge,
      file: file.replace(/(\.json)?$/, `.judgements-${configuration.digest.slice(0, 12)}.jsonl`),
      signal: io.signal,
      onJudged(subject, judgement) {
        done += 1;
        io.print(judgedLine({ subject, judgement, done }));
      },
    });
  } finally {
    io.print(judge.spentText());
  }
  const figures = figuresOf(pairsOf({ subjects, judgements }));
  const flips = flipRateOf(judgements);
  for (const line of figureLines(figures)) io.print(line);
  if (flips) io.print(`items that flip between passes ${shareText(flips)}`);
  for (const [kind, { right, of }] of rightByKind({ subjects, judgements })) io.print(`  ${kind}: ${right} of ${of} right`);
  const unasked = judgements.filter(({ label }) => label === null);
  if (unasked.length > 0) {
    io.warn(`${unasked.length} could not be judged: ${unasked[0]!.items[0]?.reason ?? 'the attempt has no rubric'}`);
    return exitCodes.unscored;
  }
  const output = resolve(io.cwd, textFlag(flags['output']) ?? config.judge.calibration_file);
  keepCalibration({
    file: output,
    calibration: {
      ...figures,
      digest: configuration.digest,
      kappa: figures.kappa.value,
      kappaInterval: { low: figures.kappa.low, high: figures.kappa.high },
      date: new Date().toISOString().slice(0, 10),
      flips,
      judge: configuration,
      labels: { file: basename(file), sha256: createHash('sha256').update(json).digest('hex'), attempts: subjects.map(({ id }) => id) },
    },
  });
  io.print(`kept in ${relative(io.cwd, output)}`);
  return exitCodes.ok;
}

/** Records of the attempts, complete and unchanged: looked at before the first call is paid for. */
async function readSubjects({ attempts, file }: { attempts: readonly LabelledAttempt[]; file: string }): Promise<Subject[]> {
  const subjects = attempts.map(attempt => ({ ...attempt, record: readAttemptFolder(resolve(dirname(file), attempt.folder)) }));
  for (const { id, record } of subjects) {
    if (record.task.rubric.length === 0)
      throw new WebwrightError({
        code: 'CONFIG_INVALID',
        what: `Attempt ${id} has no rubric: its grader has nothing to decide`,
        seen: record.path,
        remedy: 'label attempts at tasks with a rubric',
      });
    await validateImages(record.evidence);
  }
  return subjects;
}

function judgedLine({ subject, judgement, done }: { subject: Subject; judgement: Judgement; done: number }): string {
  const items = judgement.items.map(({ id, status }) => `${id} ${status}`).join(', ');
  return `${String(done).padStart(3)}  ${subject.id}  label ${subject.label}, judge ${judgement.label ?? 'none'}${judgement.label === 1 - subject.label ? ' (!)' : ''}  ${items}`;
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError({
      what: 'The label file cannot be read',
      seen: `${file}: ${(error as NodeJS.ErrnoException).code}`,
      remedy: 'webwright calibrate --build FOLDER makes one',
    });
  }
}
