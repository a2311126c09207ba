import { createHmac } from 'node:crypto';
import { cleanText, shortenDataUrls } from './clean-text.ts';

/** Wraps untrusted text of one judge call, so that nothing in it can look like the prompt around it. */
export interface Fence {
  /** 16 hex digits that only this call knows; no page has ever seen them. */
  readonly nonce: string;
  /** Control and invisible characters removed so far. */
  readonly removed: number;
  /** The text between two lines that carry the nonce. `name` says what it is, e.g. `page text`, and is cleaned too. */
  wrap(name: string, text: string): string;
}

/**
 * A fence for one call. The nonce is an HMAC of the attempt's seed and the call's key, so a replay makes the same bytes
 * (DESIGN §9.6) and a page that does not know the seed cannot close the fence.
 *
 * @example
 * createFence({ seed, key: 'item-R1' }).wrap('final response', 'Done.');
 */
export function createFence({ seed, key }: { seed: string; key: string }): Fence {
  const nonce = createHmac('sha256', seed).update(`fence:${key}`).digest('hex').slice(0, 16);
  let removed = 0;
  const clean = (raw: string): string => {
    const result = cleanText(shortenDataUrls(raw));
    removed += result.removed;
    return result.text.replaceAll(nonce, '[fence removed]');
  };
  return {
    nonce,
    get removed() {
      return removed;
    },
    wrap(name, text) {
      const label = clean(name).replace(/\s+/g, ' ').slice(0, 200);
      return `<<<${nonce} ${label}\n${clean(text)}\n${nonce}>>>`;
    },
  };
}
