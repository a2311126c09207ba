import { z } from 'zod';
import { WebwrightError } from '../core/errors.ts';

const label = z.union([z.literal(0), z.literal(1)]);

const attempt = z.strictObject({
  /** Unique in the file. */
  id: z.string().min(1),
  /** The attempt's run folder, relative to the label file. */
  folder: z.string().min(1),
  /** 1: the work is done; 0: it is not. Says who labelled, never a judge. */
  label,
  /** What it is an example of, e.g. `near miss`; failures are reported by it. */
  kind: z.string().optional(),
  /** Attempts at the same task; a sample avoids taking two of them. */
  task: z.string().optional(),
});

const attempts = z.strictObject({
  schemaVersion: z.literal(1),
  /** Where the labels come from, for people. */
  source: z.string().optional(),
  attempts: z.array(attempt).min(1),
});

const verdicts = z.string().regex(/^[01]+$/, 'expected a string of 0 and 1');
const pairs = z.strictObject({ human: verdicts, judge: verdicts });

/** An attempt that somebody has labelled. */
export type LabelledAttempt = z.infer<typeof attempt>;

/** Labels that a judge is held against: attempts to judge, or the verdicts that judges gave already, by judge. */
export type Labels = { attempts: LabelledAttempt[] } | { judges: { name: string; pairs: { truth: 0 | 1; judged: 0 | 1 }[] }[] };

/**
 * A label file. Either `{"schemaVersion": 1, "attempts": [{"id", "folder", "label"}]}`, or pairs: an object by judge that holds, at any depth,
 * `{"human": "0110", "judge": "0100"}`, one digit an attempt. Throws CONFIG_INVALID that names the field.
 *
 * @example
 * parseLabels({ json: await readFile('labels.json', 'utf8'), file: 'labels.json' });
 */
export function parseLabels({ json, file }: { json: string; file: string }): Labels {
  const invalid = (seen: string) =>
    new WebwrightError({ code: 'CONFIG_INVALID', what: `${file} is no label file`, seen, remedy: 'see docs/judging.md' });
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    throw invalid((error as Error).message);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid('not an object');
  if (!('attempts' in value)) {
    return { judges: Object.entries(value).map(([name, below]) => ({ name, pairs: pairsIn({ value: below, path: name, invalid }) })) };
  }
  const parsed = attempts.safeParse(value);
  if (!parsed.success) throw invalid(issueText(parsed.error));
  const ids = parsed.data.attempts.map(({ id }) => id);
  const twice = ids.find((id, index) => ids.indexOf(id) !== index);
  if (twice !== undefined) throw invalid(`id ${twice} is there twice`);
  return { attempts: parsed.data.attempts };
}

function pairsIn({
  value,
  path,
  invalid,
}: {
  value: unknown;
  path: string;
  invalid: (seen: string) => Error;
}): { truth: 0 | 1; judged: 0 | 1 }[] {
  if (typeof value !== 'object' || value === null) throw invalid(`${path}: neither pairs nor a group of them`);
  if (!('human' in value)) {
    return Object.entries(value).flatMap(([name, below]) => pairsIn({ value: below, path: `${path}.${name}`, invalid }));
  }
  const parsed = pairs.safeParse(value);
  if (!parsed.success) throw invalid(`${path}: ${issueText(parsed.error)}`);
  const { human, judge } = parsed.data;
  if (human.length !== judge.length) throw invalid(`${path}: ${human.length} human and ${judge.length} judge verdicts`);
  return [...human].map((digit, index) => ({ truth: digit === '1' ? 1 : 0, judged: judge[index] === '1' ? 1 : 0 }));
}

function issueText({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') || 'file'}: ${issue?.message}`;
}
