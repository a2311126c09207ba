import { didYouMean } from '../../config/did-you-mean.ts';
import { WebwrightError } from '../../core/errors.ts';

/** Whose browser the agent drives (webwright.md §3.2, and two of ours). What each one does: docs/browsers.md. */
export const browserModes = ['runner', 'local_launch', 'local_persistent', 'local_cdp', 'browserbase'] as const;
export type BrowserMode = (typeof browserModes)[number];

/** @throws WebwrightError CONFIG_INVALID for anything that is not a browser mode, with the one that was probably meant. */
export function assertBrowserMode(value: unknown): asserts value is BrowserMode {
  if ((browserModes as readonly unknown[]).includes(value)) return;
  const near = typeof value === 'string' ? didYouMean(value.toLowerCase().replaceAll('-', '_'), [...browserModes]) : undefined;
  throw new WebwrightError({
    code: 'CONFIG_INVALID',
    what: 'Unknown browser mode',
    seen: `browserMode: ${JSON.stringify(value)}`,
    remedy: near ? `did you mean ${near}?` : `known: ${browserModes.join(', ')}`,
  });
}
