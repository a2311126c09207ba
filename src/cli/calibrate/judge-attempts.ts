import { createHash, randomBytes } from 'node:crypto';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { ItemVerdict, PredictedLabel } from '../../core/verdict.ts';
import type { AttemptFolder } from '../../judge/attempt-folder.ts';
import type { LabelledAttempt } from '../../judge/labels.ts';
import { mapLimited } from '../../judge/map-limited.ts';
import { rescore } from '../../judge/rescore.ts';
import type { OpenJudge } from '../judge/open-judge.ts';

const judgementSchema = z.object({
  id: z.string(),
  /** Of the record that was judged. */
  attempt: z.string(),
  /** 1 for the first time it was judged. */
  pass: z.int().min(1),
  label: z.union([z.literal(0), z.literal(1), z.null()]),
  items: z.array(z.custom<ItemVerdict>(value => typeof value === 'object' && value !== null)),
});

/** What the judge said about one attempt in one pass; `label` is null where it could not be asked. */
export type Judgement = z.infer<typeof judgementSchema>;

/** An attempt with its label and its record. */
export interface Subject extends LabelledAttempt {
  record: AttemptFolder;
}

/**
 * Judges every subject in every pass, a few side by side. Checks take no part: a judge is calibrated on what it decides alone. Each judgement
 * is appended to `file` at once and taken from there the next time, so that a calibration that was cut off goes on where it was; those without
 * a label are asked again.
 */
export async function judgeAttempts({
  subjects,
  passes,
  judge,
  file,
  signal,
  onJudged,
}: {
  subjects: readonly Subject[];
  passes: number;
  judge: OpenJudge;
  file: string;
  signal: AbortSignal;
  onJudged: (subject: Subject, judgement: Judgement) => void;
}): Promise<Judgement[]> {
  const known = readJudgements(file);
  const { concurrency, grader: mode, max_images: maxImages } = judge.config.judge;
  const work = Array.from({ length: passes }, (_, pass) => subjects.map(subject => ({ subject, pass: pass + 1 }))).flat();
  return mapLimited({
    items: work,
    limit: concurrency,
    signal,
    async work({ subject, pass }, { signal }) {
      const { id, record } = subject;
      const attempt = digestOfRecord(record);
      const before = known.find(entry => entry.id === id && entry.pass === pass && entry.attempt === attempt);
      if (before) return before;
      const { verdict } = await rescore({
        model: judge.forAttempt(),
        task: { ...record.task, checks: [] },
        events: record.events,
        evidence: record.evidence,
        before: null,
        seed: randomBytes(16).toString('hex'),
        signal,
        mode,
        scorerPrompt: judge.scorerPrompt,
        // Attempts are judged side by side already; within one, requests share their beginning.
        concurrency: 1,
        maxImages,
      });
      signal.throwIfAborted();
      const judgement: Judgement = { id, attempt, pass, label: labelOf(verdict.items), items: verdict.items };
      if (judgement.label !== null) appendFileSync(file, `${JSON.stringify(judgement)}\n`);
      onJudged(subject, judgement);
      return judgement;
    },
  });
}

/** All items must pass; one that could not be asked leaves the attempt open unless another failed. */
function labelOf(items: readonly ItemVerdict[]): PredictedLabel {
  if (items.some(({ status }) => status === 'fail' || status === 'cannot-tell')) return 0;
  return items.length === 0 || items.some(({ status }) => status === 'unasked') ? null : 1;
}

function digestOfRecord({ path, task, evidence }: AttemptFolder): string {
  const events = readFileSync(join(path, 'events.jsonl'));
  const shown = JSON.stringify([task, evidence.map(({ image: { path: _, ...image }, ...item }) => ({ ...item, image }))]);
  return createHash('sha256').update(events).update(shown).digest('hex');
}

/** Whole lines only: the last one may have been cut off. */
function readJudgements(file: string): Judgement[] {
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap(line => {
      try {
        return judgementSchema.safeParse(JSON.parse(line)).data ?? [];
      } catch {
        return [];
      }
    });
}
