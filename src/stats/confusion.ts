import { type Interval, wilson } from './wilson.ts';

/** How often two labels met: `truth` is what is so, `judged` what a judge said. 1 = done, 0 = not done. */
export interface LabelPair {
  truth: 0 | 1;
  judged: 0 | 1;
}

/** Counts of pairs: done and passed, done and failed, not done and passed, not done and failed. */
export interface Confusion {
  truePositives: number;
  falseNegatives: number;
  falsePositives: number;
  trueNegatives: number;
}

/** A share of counted things with its 95 % interval; `value` is null where nothing was counted. */
export interface Proportion extends Interval {
  value: number | null;
  of: number;
}

export function confusionOf(pairs: readonly LabelPair[]): Confusion {
  const count = (truth: 0 | 1, judged: 0 | 1) => pairs.filter(pair => pair.truth === truth && pair.judged === judged).length;
  return { truePositives: count(1, 1), falseNegatives: count(1, 0), falsePositives: count(0, 1), trueNegatives: count(0, 0) };
}

/** `part` of `total` as a share. */
export function proportion({ part, total }: { part: number; total: number }): Proportion {
  return { value: total === 0 ? null : part / total, of: total, ...wilson({ successes: part, total }) };
}

/**
 * The usual measures of a judge, each with its Wilson interval. Precision: of what it passed, how much is done. Recall: of what is done,
 * how much it passed. False-positive rate: of what is not done, how much it passed.
 *
 * @example
 * measuresOf(confusionOf(pairs)).falsePositiveRate.value; // 0.05
 */
export function measuresOf({ truePositives, falseNegatives, falsePositives, trueNegatives }: Confusion): {
  agreement: Proportion;
  precision: Proportion;
  recall: Proportion;
  falsePositiveRate: Proportion;
} {
  return {
    agreement: proportion({
      part: truePositives + trueNegatives,
      total: truePositives + falseNegatives + falsePositives + trueNegatives,
    }),
    precision: proportion({ part: truePositives, total: truePositives + falsePositives }),
    recall: proportion({ part: truePositives, total: truePositives + falseNegatives }),
    falsePositiveRate: proportion({ part: falsePositives, total: falsePositives + trueNegatives }),
  };
}
