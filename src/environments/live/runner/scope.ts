import type { Browser, BrowserContext, Page } from '@playwright/test';

/** Playwright's objects carry the same id in every client of a browser; it is the only name that survives tabs coming and going. */
export function guidOf(object: object): string {
  return (object as { _guid?: string })._guid ?? '';
}

/**
 * Refuses what would take the browser from under the test, saying what to use instead. The guard between child and browser
 * is the wall; these are the signs in front of it.
 */
export function refuseTakeover({ browser, context, page }: { browser: Browser; context: BrowserContext; page: Page }): void {
  const refuse = (owner: object, name: string, method: string, instead: string) => {
    Object.defineProperty(owner, method, {
      configurable: true,
      value: async () => {
        throw new Error(`${name}.${method}() is not available here: ${instead}`);
      },
    });
  };
  refuse(browser, 'browser', 'close', 'the browser belongs to the test and stays open.');
  refuse(browser, 'browser', 'newBrowserCDPSession', 'use page, context and locators.');
  refuse(browser, 'browser', 'bind', 'the browser is shared by the test already.');
  refuse(browser, 'browser', 'unbind', 'the browser is shared by the test already.');
  refuse(context, 'context', 'close', 'the session belongs to the test. Tabs that you opened can be closed with page.close().');
  refuse(context, 'context', 'newCDPSession', 'use page, context and locators.');
  refuse(
    page,
    'page',
    'close',
    'the first tab belongs to the test. Go elsewhere with page.goto(), or choose another tab: page = context.pages()[1].',
  );
  refuse(page, 'page', 'pause', 'nobody is there to resume.');
  for (const method of ['install', 'fastForward', 'pauseAt', 'resume', 'runFor', 'setFixedTime', 'setSystemTime']) {
    refuse(context.clock, 'page.clock', method, 'the clock belongs to the test.');
  }
  for (const method of ['start', 'stop', 'startChunk', 'stopChunk', 'group', 'groupEnd'])
    refuse(context.tracing, 'context.tracing', method, 'the test records its own trace.');
}

/** `playwright` as the model sees it: devices and errors, no second browser. */
export function playwrightInScope(playwright: typeof import('@playwright/test')): Record<string, unknown> {
  const refused = (name: string) =>
    new Proxy(
      {},
      {
        get: (_, method) =>
          method === 'name'
            ? () => name
            : () => {
                throw new Error(
                  `playwright.${name}.${String(method)}() is not available here: a browser is open already. Use page, or browser.newContext() for a separate session.`,
                );
              },
      },
    );
  return {
    chromium: refused('chromium'),
    firefox: refused('firefox'),
    webkit: refused('webkit'),
    devices: playwright.devices,
    selectors: playwright.selectors,
    errors: (playwright as unknown as { errors: unknown }).errors,
  };
}
