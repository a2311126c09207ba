import type { AttemptEgress } from '../sandbox/egress/egress.ts';

/**
 * What a result says about connections: the policy, and whether all of the agent's connections are held by it. `rest` is what of the agent runs outside the
 * browser: nothing, processes whose only way out is the proxy too, or processes with the network of this machine.
 */
export function egressText({
  egress,
  rest,
  browser = 'held',
}: {
  egress: Pick<AttemptEgress, 'mode'> | null | undefined;
  rest: 'none' | 'held' | 'open';
  /** `elsewhere`: it runs on another machine. */
  browser?: 'held' | 'elsewhere';
}): string {
  if (!egress) return 'open; NOT held: connections of the browser and of processes';
  const notHeld = [...(browser === 'held' ? [] : ['the browser, which runs elsewhere']), ...(rest === 'open' ? ['processes'] : [])];
  return notHeld.length === 0 ? `${egress.mode}, complete` : `${egress.mode}; NOT held: connections of ${notHeld.join(' and ')}`;
}
