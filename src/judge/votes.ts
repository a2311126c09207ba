import type { EvidenceItem } from '../core/evidence.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import { wordsIn } from './answer-values.ts';
import { numbersIn } from './checks/numbers.ts';

/** A verdict a judge is less sure of than this gets two more votes. */
const sure = 0.6;

/** True for a verdict that may well come out differently: cannot-tell, or low confidence, whichever way it points (reference: benchmarks.md §15 step 5). */
export function isBorderline({ status, confidence }: ItemVerdict): boolean {
  return status === 'cannot-tell' || (status !== 'unasked' && confidence !== undefined && confidence < sure);
}

/** True when a number is said to be shown by a page whose recorded text does not have it: an image may show it all the same. */
export function lacksNumber({ values = [] }: ItemVerdict, evidence: readonly Pick<EvidenceItem, 'id' | 'text'>[]): boolean {
  return values.some(({ value, evidence: id }) => {
    const text = evidence.find(item => item.id === id)?.text ?? '';
    const wanted = numbersIn(value).map(found => found.value);
    if (text.trim() === '' || wanted.length === 0) return false;
    const stated = new Set(numbersIn(text).map(found => found.value));
    return !wanted.some(number => stated.has(number));
  });
}

/** The verdict that most of the votes give, with all votes and their cost in it; cannot-tell where there is no majority. */
export function majority(ballots: readonly [ItemVerdict, ...ItemVerdict[]]): ItemVerdict {
  const votes = ballots.map(({ status }) => status);
  const winner = ballots.find(({ status }) => votes.filter(other => other === status).length * 2 > votes.length);
  const verdict: ItemVerdict = winner ?? {
    ...ballots[0],
    status: 'cannot-tell',
    reason: `no majority (${votes.join(', ')}): ${ballots[0].reason}`,
  };
  const paid = ballots.flatMap(({ judgedBy }) => judgedBy ?? []);
  if (paid.length === 0) return { ...verdict, votes };
  const sum = (field: 'tokens' | 'calls') => paid.reduce((total, each) => total + each[field], 0);
  return { ...verdict, votes, judgedBy: { ...paid[0]!, tokens: sum('tokens'), calls: sum('calls') } };
}

/**
 * True when code says otherwise than the judge: a check on the same matter failed where the item passed, or the other way round
 * (reference: benchmarks.md §15 step 5). They are on the same matter when their words have two in common.
 */
export function contradictsCheck({ item, checked }: { item: ItemVerdict; checked: readonly ItemVerdict[] }): boolean {
  const words = wordsIn(item.requirement);
  const isRelated = (check: ItemVerdict) => [...wordsIn(check.requirement)].filter(word => words.has(word)).length >= 2;
  return checked.some(check => isRelated(check) && (item.status === 'pass') !== (check.status === 'pass'));
}
