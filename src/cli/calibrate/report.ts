import type { Proportion } from '../../stats/confusion.ts';
import type { Figures } from './figures.ts';

/** The confusion table and what follows from it, as lines for people. */
export function figureLines({ n, confusion, kappa, ...measures }: Figures): string[] {
  const { truePositives, falseNegatives, falsePositives, trueNegatives } = confusion;
  const row = (name: string, passed: string | number, failed: string | number) =>
    `${name.padEnd(22)}${String(passed).padStart(14)}${String(failed).padStart(14)}`;
  return [
    row(`${n} attempts`, 'judge: done', 'not done'),
    row('  labelled done', truePositives, falseNegatives),
    row('  labelled not done', falsePositives, trueNegatives),
    `agreement ${shareText(measures.agreement)}`,
    `precision ${shareText(measures.precision)}`,
    `recall ${shareText(measures.recall)}`,
    `false-positive rate ${shareText(measures.falsePositiveRate)}`,
    kappa.value === null
      ? "Cohen's kappa: undefined, since all labels are the same"
      : `Cohen's kappa ${kappa.value.toFixed(3)} (95 % interval ${kappa.low.toFixed(2)} to ${kappa.high.toFixed(2)})`,
  ];
}

/** `97.5 % (95 % interval 87.1–99.6 %, of 40)`. */
export function shareText({ value, low, high, of }: Proportion): string {
  if (value === null) return 'undefined: nothing to count';
  const percent = (share: number) => (share * 100).toFixed(1);
  return `${percent(value)} % (95 % interval ${percent(low)}–${percent(high)} %, of ${of})`;
}
