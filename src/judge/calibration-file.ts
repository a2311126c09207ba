import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import type { Calibration } from '../core/calibration.ts';
import { WebwrightError } from '../core/errors.ts';
import { writeJson } from '../record/run-folder.ts';

const record = z.looseObject({
  /** Of the judge's configuration (see JudgeConfiguration). */
  digest: z.string(),
  kappa: z.number().nullable(),
  n: z.int().min(0),
  date: z.iso.date(),
});
const schema = z.looseObject({ schemaVersion: z.literal(1), calibrations: z.array(record) });

/** One calibration with everything that was measured; the fields of `Calibration` are those that reports show. */
export type CalibrationRecord = z.infer<typeof record>;

/** The calibration of a judge, or null when there is none for exactly this configuration. A file that cannot be read is an error. */
export function findCalibration({ file, digest }: { file: string; digest: string }): Calibration | null {
  const found = readCalibrations(file).find(entry => entry.digest === digest);
  return found ? { kappa: found.kappa, n: found.n, date: found.date } : null;
}

/** Adds a calibration to the file; an older one of the same configuration is replaced. */
export function keepCalibration({ file, calibration }: { file: string; calibration: CalibrationRecord }): void {
  const others = readCalibrations(file).filter(({ digest }) => digest !== calibration.digest);
  writeJson(file, { schemaVersion: 1, calibrations: [...others, calibration] });
}

function readCalibrations(file: string): CalibrationRecord[] {
  if (!existsSync(file)) return [];
  const invalid = (seen: string) =>
    new WebwrightError({
      code: 'CONFIG_INVALID',
      what: `${file} holds no calibrations`,
      seen,
      remedy: 'make it anew: webwright calibrate --labels FILE; or set judge.calibration_file',
    });
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw invalid((error as Error).message);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data.calibrations;
  const [issue] = parsed.error.issues;
  throw invalid(`${issue?.path.join('.') || 'file'}: ${issue?.message}`);
}
