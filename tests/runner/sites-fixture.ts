import { test as base, type Page } from '@playwright/test';
import { type Sites, startSites } from '../../fixtures/sites/server.ts';
import { chromiumArgs, findChromium } from '../../src/config/browser.ts';

interface WorkerFixtures {
  _sites: Sites;
}

/** Playwright's `test` on a page that reaches the embedded sites by name; their state is fresh in every test. */
export const test = base.extend<{ sites: Sites }, WorkerFixtures>({
  _sites: [
    async ({}, use) => {
      const sites = await startSites();
      await use(sites);
      await sites.close();
    },
    { scope: 'worker' },
  ],
  launchOptions: [
    async ({ launchOptions, _sites }, use) => {
      const found = findChromium();
      const own = found?.source === 'system' ? { executablePath: found.executablePath } : {};
      await use({ ...own, ...launchOptions, args: [...chromiumArgs(), `--host-resolver-rules=${_sites.resolverRules}`] });
    },
    { scope: 'worker' },
  ],
  sites: [
    async ({ _sites }, use) => {
      _sites.reset();
      await use(_sites);
    },
    { auto: true },
  ],
});

/** Answers the cookie banner and waits until it is gone. */
export async function answerCookies({ page, choice = 'Only necessary' }: { page: Page; choice?: 'Only necessary' | 'Accept all' }) {
  await page.getByRole('button', { name: choice }).click();
  await page.getByRole('dialog', { name: /^Cookies on/ }).waitFor({ state: 'detached' });
}
