import type { Browser, BrowserContext, Page } from '@playwright/test';

/** Playwright's objects carry the same id in every client of a browser; it is the only name that survives tabs coming and going. */
export function guidOf(object: object): string {
  return (object as { _guid?: string })._guid ?? '';
}

/**
 * Signs in front of the guard, which is the wall: Playwright takes a page or context for closed as soon as it is asked to close it,
 * and leaves the browser without asking.
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
  refuse(context, 'context', 'close', 'the session belongs to the test. Tabs that you opened can be closed with page.close().');
  refuse(
    page,
    'page',
    'close',
    'the first tab belongs to the test. Go elsewhere with page.goto(), or choose another tab: page = context.pages()[1].',
  );
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
