import { changesBetween } from '../../judge/rescore.ts';
import { type Confusion, confusionOf, type LabelPair, measuresOf, type Proportion, proportion } from '../../stats/confusion.ts';
import { cohensKappa, type Kappa } from '../../stats/kappa.ts';
import type { Judgement, Subject } from './judge-attempts.ts';

/** What a judge came to against labels. */
export interface Figures {
  n: number;
  confusion: Confusion;
  kappa: Kappa;
  agreement: Proportion;
  precision: Proportion;
  recall: Proportion;
  falsePositiveRate: Proportion;
}

/** The figures of pairs of labels. */
export function figuresOf(pairs: readonly LabelPair[]): Figures {
  const confusion = confusionOf(pairs);
  return { n: pairs.length, confusion, kappa: cohensKappa(confusion), ...measuresOf(confusion) };
}

/** Labels beside the judge's, of the first pass; attempts it could not be asked about are left out. */
export function pairsOf({ subjects, judgements }: { subjects: readonly Subject[]; judgements: readonly Judgement[] }): LabelPair[] {
  const first = new Map(judgements.filter(({ pass }) => pass === 1).map(({ id, label }) => [id, label]));
  return subjects.flatMap(({ id, label }) => {
    const judged = first.get(id) ?? null;
    return judged === null ? [] : [{ truth: label, judged }];
  });
}

/** Items whose status differs from one pass to the next, of all items that were judged twice; null after a single pass. */
export function flipRateOf(judgements: readonly Judgement[]): Proportion | null {
  const couples = judgements.flatMap(before => {
    const after = judgements.find(({ id, pass, label }) => id === before.id && pass === before.pass + 1 && label !== null);
    return after && before.label !== null ? [{ before: before.items, after: after.items }] : [];
  });
  if (couples.length === 0) return null;
  const flips = couples.reduce((sum, couple) => sum + changesBetween(couple).length, 0);
  return proportion({ part: flips, total: couples.reduce((sum, { after }) => sum + after.length, 0) });
}

/** For each kind of attempt how many the judge decided as they are labelled, in order of first appearance. */
export function rightByKind({
  subjects,
  judgements,
}: {
  subjects: readonly Subject[];
  judgements: readonly Judgement[];
}): Map<string, { right: number; of: number }> {
  const kinds = new Map<string, { right: number; of: number }>();
  for (const { id, label, kind } of subjects) {
    const judged = judgements.find(judgement => judgement.id === id && judgement.pass === 1)?.label ?? null;
    if (kind === undefined || judged === null) continue;
    const { right, of } = kinds.get(kind) ?? { right: 0, of: 0 };
    kinds.set(kind, { right: right + (judged === label ? 1 : 0), of: of + 1 });
  }
  return kinds;
}
