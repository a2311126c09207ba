import { createHash } from 'node:crypto';

/** What to do about an action: nothing, tell the agent, or end the attempt. */
export type RepeatAdvice = 'go-on' | 'nudge' | 'end';

/** Watches for the same action with the same observation: a nudge after three in a row, the end after four. Step numbers do not count as a difference. */
export function createRepeatWatch(): (options: { action: string; observation: string }) => RepeatAdvice {
  let last = '';
  let count = 0;
  return ({ action, observation }) => {
    const digest = createHash('sha256')
      .update(JSON.stringify([action, observation.replace(/step[_ -]?\d+|\d+ turns left/gi, '')]))
      .digest('hex');
    count = digest === last ? count + 1 : 1;
    last = digest;
    if (count > 3) return 'end';
    return count === 3 ? 'nudge' : 'go-on';
  };
}
