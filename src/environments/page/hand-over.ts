import type { Page } from '@playwright/test';
import { WebwrightError } from '../../core/errors.ts';
import { oneLine } from '../clean-text.ts';

/** How it is known that a person is done: the page is at an address, shows something, or they press Enter. */
export type PersonSignal = { kind: 'url'; pattern: string } | { kind: 'selector'; selector: string } | { kind: 'enter' };

/** `url:**\/account`, `selector:#account` or `enter`; the config schema has checked the form. */
export function personSignal(text: string): PersonSignal {
  if (text === 'enter') return { kind: 'enter' };
  const colon = text.indexOf(':');
  const rest = text.slice(colon + 1);
  return text.slice(0, colon) === 'url' ? { kind: 'url', pattern: rest } : { kind: 'selector', selector: rest };
}

/**
 * Waits while a person works in the page, for example to log in. Returns what the agent is told.
 *
 * @param pressEnter asks a person to press Enter, and resolves when they did.
 * @throws WebwrightError BROWSER when nothing came within `timeoutMs`, or the tab was closed.
 */
export async function waitForPerson({
  page,
  until,
  timeoutMs,
  pressEnter,
}: {
  page: Page;
  until: PersonSignal;
  timeoutMs: number;
  pressEnter: (options: { text: string; timeoutMs: number }) => Promise<void>;
}): Promise<string> {
  try {
    if (until.kind === 'url') await page.waitForURL(until.pattern, { timeout: timeoutMs, waitUntil: 'domcontentloaded' });
    else if (until.kind === 'selector') await page.locator(until.selector).first().waitFor({ timeout: timeoutMs });
    else await pressEnter({ text: `The page is yours: ${oneLine(page.url(), 200)}`, timeoutMs });
  } catch (error) {
    if (error instanceof WebwrightError) throw error;
    const closed = page.isClosed();
    throw new WebwrightError({
      code: 'BROWSER',
      what: closed ? 'The tab was closed while a person had it' : `No person was done within ${timeoutMs / 1000} s`,
      seen: closed ? 'a closed tab' : `waiting for ${describe(until)}; the page is at ${oneLine(page.url(), 200)}`,
      remedy: closed
        ? 'leave the tab open and work in it: the agent goes on there'
        : 'correct environment.wait_for_person, or raise environment.person_timeout_seconds',
    });
  }
  return 'A person has worked in this tab before you (logged in, for example). Go on from here; what they set up stays.';
}

function describe(until: PersonSignal): string {
  if (until.kind === 'url') return `the address ${until.pattern}`;
  return until.kind === 'selector' ? `the element ${until.selector}` : 'Enter';
}
