import type { AttemptEgress } from '../sandbox/egress/egress.ts';

/**
 * What a result says about connections: the policy, and whether all of the agent's connections are held by it. `rest` is what of the agent runs outside the
 * browser: nothing, processes whose only way out is the proxy too, or processes with the network of this machine.
 */
export function egressText({
  egress,
  rest,
}: {
  egress: Pick<AttemptEgress, 'mode'> | null | undefined;
  rest: 'none' | 'held' | 'open';
}): string {
  if (!egress) return 'open; NOT held: connections of the browser and of processes';
  return rest === 'open' ? `${egress.mode}, held for the browser; NOT held: connections of processes` : `${egress.mode}, complete`;
}
