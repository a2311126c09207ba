import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { WebwrightError } from '../core/errors.ts';

/** A browser that other processes can reach. */
export interface BoundBrowser {
  /** Path of a unix socket for `chromium.connect(endpoint)`. */
  endpoint: string;
  /** Takes the endpoint away again; the browser stays. */
  release(): Promise<void>;
}

/**
 * Makes a browser reachable for child processes. Playwright writes a descriptor of the browser into the user's cache, world-readable and
 * with `launchOptions.env` and proxy passwords in clear (reliability.md §2.1, A17): here it goes to a private folder that is
 * removed at once. Error BROWSER when somebody else has bound the browser already.
 */
export async function bindBrowser({ browser, title }: { browser: Browser; title: string }): Promise<BoundBrowser> {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-bind-'));
  const before = process.env.PWTEST_SERVER_REGISTRY;
  process.env.PWTEST_SERVER_REGISTRY = folder;
  try {
    const { endpoint } = await browser.bind(title);
    return { endpoint, release: () => browser.unbind().catch(() => {}) };
  } catch (error) {
    throw new WebwrightError({
      code: 'BROWSER',
      what: 'The browser could not be made reachable for scripts',
      seen: (error as Error).message.split('\n')[0] ?? '',
      remedy: 'unset PLAYWRIGHT_DASHBOARD, leave debug mode, or end the other agent that uses this browser',
    });
  } finally {
    if (before === undefined) delete process.env.PWTEST_SERVER_REGISTRY;
    else process.env.PWTEST_SERVER_REGISTRY = before;
    rmSync(folder, { recursive: true, force: true });
  }
}
