/** What a judge's calibration came to, as far as reports say it. */
export interface Calibration {
  /** Cohen's kappa with the labels; null where it is not defined (all labels alike). */
  kappa: number | null;
  /** Attempts it was held against. */
  n: number;
  /** Day of the calibration, ISO 8601. */
  date: string;
}

/**
 * How far a judge's word can be taken, in one phrase.
 *
 * @example
 * calibrationText({ kappa: 0.7, n: 40, date: '2026-11-30' }); // 'calibrated (κ 0.70, n 40, 2026-11-30)'
 */
export function calibrationText(calibration: Calibration | null): string {
  if (!calibration) return 'uncalibrated';
  const { kappa, n, date } = calibration;
  return `calibrated (κ ${kappa === null ? 'undefined' : kappa.toFixed(2)}, n ${n}, ${date})`;
}
