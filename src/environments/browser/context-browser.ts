import type { Browser, BrowserContext, BrowserContextOptions } from '@playwright/test';
import { WebwrightError } from '../../core/errors.ts';

/**
 * A `Browser` for Playwright's own fixtures where browser and context come together: a profile, a browser that somebody else started,
 * a session in the cloud. Its first `newContext()`, which is that of the `context` fixture, opens both; when that context is closed they
 * are gone, and the next test opens them anew. In between it is the real browser.
 */
export function browserOfContext({
  mode,
  open,
}: {
  mode: string;
  open: (options: BrowserContextOptions) => Promise<BrowserContext>;
}): Browser {
  let current: BrowserContext | undefined;
  const real = (wanted: PropertyKey): Browser => {
    const browser = current?.browser();
    if (browser) return browser;
    throw new WebwrightError({
      code: 'BROWSER',
      what: `With browserMode ${mode} the browser is there only while a test has its context`,
      seen: `browser.${String(wanted)} without an open context`,
      remedy: 'use { page } or { context } in the test; in beforeAll and afterAll there is no browser',
    });
  };
  const own: Record<PropertyKey, unknown> = {
    async newContext(options: BrowserContextOptions = {}) {
      if (current) return real('newContext').newContext(options);
      const context = await open(options);
      current = context;
      context.once('close', () => {
        if (current === context) current = undefined;
      });
      return context;
    },
    async newPage(options?: BrowserContextOptions) {
      return real('newPage').newPage(options);
    },
    async close() {
      await current?.close();
    },
    contexts: () => (current ? real('contexts').contexts() : []),
    isConnected: () => current !== undefined && real('isConnected').isConnected(),
    // Playwright's `context` fixture calls it with `reuseContext` only.
    _wrapApiCall() {
      throw new WebwrightError({
        code: 'CONFIG_INVALID',
        what: `With browserMode ${mode} a context is not reused from test to test`,
        seen: 'reuseContext, or PW_TEST_REUSE_CONTEXT',
        remedy: 'leave it out, or use browserMode runner',
      });
    },
    // Playwright's fixtures read it before there is a context.
    _connection: {},
    // It is no promise: somebody may await it.
    // biome-ignore lint/suspicious/noThenProperty: said to be absent
    then: undefined,
  };
  return new Proxy({} as Browser, {
    get(_, name) {
      if (name in own) return own[name];
      if (typeof name === 'symbol') return undefined;
      const browser = real(name);
      const value: unknown = Reflect.get(browser, name);
      return typeof value === 'function' ? value.bind(browser) : value;
    },
  });
}
