/** Calls that were refused, by name and reason. */
export interface Refusal {
  /** `Type.method`, as Playwright's protocol names it. */
  call: string;
  /** The group the author could open, when there is one. */
  group: string | null;
  reason: string;
  count: number;
}

/** So many different ones are told apart; names come from the child. */
const maxKinds = 50;

/** Counts refusals; `onFirst` is told of each kind once. */
export function createRefusals({ onFirst }: { onFirst: (refusal: Refusal) => void }) {
  const kinds = new Map<string, Refusal>();
  return {
    add({ call, group = null, reason }: { call: string; group?: string | null; reason: string }) {
      const name = call.replace(/[^\w.]/g, '?').slice(0, 80);
      const key = kinds.has(name) || kinds.size < maxKinds ? name : 'others';
      const known = kinds.get(key);
      if (known) {
        known.count += 1;
        return;
      }
      const refusal: Refusal = { call: key, group, reason, count: 1 };
      kinds.set(key, refusal);
      onFirst({ ...refusal });
    },
    list: (): Refusal[] => [...kinds.values()].map(refusal => ({ ...refusal })),
  };
}
