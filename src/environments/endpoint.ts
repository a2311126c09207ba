import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from '@playwright/test';
import { WebwrightError } from '../core/errors.ts';

/** Where a child can reach the browser. */
export interface Endpoint {
  address: string;
  /** Ends the door, unless somebody else opened it. */
  release(): Promise<void>;
}

const open = new WeakMap<Browser, { address: string; users: number }>();

/**
 * Opens the browser for other processes of this user (`browser.bind`: a Unix socket or a named pipe). Playwright also writes
 * a descriptor that holds the launch environment and the proxy password in clear; it is written to a private folder and
 * deleted at once. A browser that is bound already (`PLAYWRIGHT_DASHBOARD`, debug mode) is shared, not taken.
 */
export async function openEndpoint({ browser }: { browser: Browser }): Promise<Endpoint> {
  const known = open.get(browser);
  if (known) {
    known.users += 1;
    return { address: known.address, release: () => release(browser) };
  }
  try {
    const address = await bindPrivately(browser);
    open.set(browser, { address, users: 1 });
    return { address, release: () => release(browser) };
  } catch (error) {
    const message = (error as Error).message;
    const address = /already started/.test(message) ? boundAddress(browser) : undefined;
    if (address) return { address, release: async () => {} };
    throw new WebwrightError({
      code: 'BROWSER',
      what: /already started/.test(message)
        ? 'The browser is shared by something else, and its address is not known'
        : 'The browser cannot be shared with the runner',
      seen: message.split('\n')[0] ?? '',
      remedy: 'run without PLAYWRIGHT_DASHBOARD and debug mode, and call browser.unbind() before agent.run()',
    });
  }
}

async function release(browser: Browser): Promise<void> {
  const known = open.get(browser);
  if (!known) return;
  known.users -= 1;
  if (known.users > 0) return;
  open.delete(browser);
  await browser.unbind().catch(() => {});
}

async function bindPrivately(browser: Browser): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-bind-'));
  const before = process.env['PWTEST_SERVER_REGISTRY'];
  process.env['PWTEST_SERVER_REGISTRY'] = folder;
  try {
    const { endpoint } = await browser.bind('webwright');
    deleteDescriptors({ folder: defaultRegistry(), endpoint });
    return endpoint;
  } finally {
    if (before === undefined) delete process.env['PWTEST_SERVER_REGISTRY'];
    else process.env['PWTEST_SERVER_REGISTRY'] = before;
    rmSync(folder, { recursive: true, force: true });
  }
}

/** In case a Playwright version does not know the variable: whatever descriptor names our socket goes. */
function deleteDescriptors({ folder, endpoint }: { folder: string; endpoint: string }): void {
  for (const { path, address } of descriptors(folder)) if (address === endpoint) unlinkSync(path);
}

function boundAddress(browser: Browser): string | undefined {
  const guid = (browser as unknown as { _guid?: string })._guid;
  const folder = process.env['PWTEST_SERVER_REGISTRY'] ?? defaultRegistry();
  return descriptors(folder).find(({ guid: other }) => other === guid)?.address;
}

function descriptors(folder: string): { path: string; guid: string; address: string }[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap(name => {
    const path = join(folder, name);
    try {
      const { endpoint } = JSON.parse(readFileSync(path, 'utf8')) as { endpoint: string };
      return [{ path, guid: name, address: endpoint }];
    } catch {
      return [];
    }
  });
}

/** Where Playwright 1.65 keeps its descriptors. */
function defaultRegistry(): string {
  const cache =
    process.platform === 'linux'
      ? (process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'))
      : process.platform === 'darwin'
        ? join(homedir(), 'Library', 'Caches')
        : (process.env['LOCALAPPDATA'] ?? join(homedir(), 'AppData', 'Local'));
  return join(cache, 'ms-playwright', 'b');
}
