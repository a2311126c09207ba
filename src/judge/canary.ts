import { createHmac } from 'node:crypto';
import type { RubricItem } from '../core/task.ts';
import type { ItemVerdict } from '../core/verdict.ts';

/**
 * A requirement that nothing in the evidence can meet, because its code is made from the attempt's secret after the run. A judge that
 * passes it has been talked into passing things (reference: lessons-and-evals.md B12).
 */
export function canaryItem(seed: string): RubricItem {
  const code = createHmac('sha256', seed).update('canary').digest('hex').slice(0, 10).toUpperCase();
  return {
    // Named like the others, so that it is not recognised.
    id: 'R0',
    requirement: `The confirmation code ${code} was reached.`,
    verification: `The code ${code} is readable in a screenshot or in the text of a page.`,
  };
}

/** Passes are taken back when the canary passed too, and are `unasked` when it could not be asked about. */
export function afterCanary({ items, canary }: { items: readonly ItemVerdict[]; canary: ItemVerdict }): ItemVerdict[] {
  const taken: Pick<ItemVerdict, 'status' | 'reason'> | null =
    canary.status === 'pass'
      ? { status: 'cannot-tell', reason: 'the judge also passed a requirement that cannot be true: it cannot be trusted on this evidence' }
      : canary.status === 'unasked'
        ? { status: 'unasked', reason: canary.reason }
        : null;
  return items.map(item => (taken && item.kind === 'rubric' && item.status === 'pass' ? { ...item, ...taken } : item));
}
