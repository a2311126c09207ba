import type { ItemVerdict } from '../core/verdict.ts';

/** A verdict a judge is less sure of than this gets two more votes. */
const sure = 0.6;

/** True for a verdict that may well come out differently: cannot-tell, or low confidence, whichever way it points (reference: benchmarks.md §15 step 5). */
export function isBorderline({ status, confidence }: ItemVerdict): boolean {
  return status === 'cannot-tell' || (status !== 'unasked' && confidence !== undefined && confidence < sure);
}

/** The verdict that most of the votes give, with all votes in it; cannot-tell where there is no majority. */
export function majority(votes: readonly [ItemVerdict, ...ItemVerdict[]]): ItemVerdict {
  const statuses = votes.map(({ status }) => status);
  const winner = votes.find(({ status }) => statuses.filter(other => other === status).length * 2 > votes.length);
  if (winner) return { ...winner, votes: statuses };
  return { ...votes[0], status: 'cannot-tell', reason: `no majority (${statuses.join(', ')}): ${votes[0].reason}`, votes: statuses };
}
