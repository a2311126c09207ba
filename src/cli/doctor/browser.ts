import { chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from '../../config/browser.ts';
import { type Check, missing, ok } from './check.ts';

const launchTimeoutMs = 30_000;

/** Launches the Chromium that runs would use and looks at a page in it: a browser that is installed may still not start. */
export const browserCheck: Check = {
  name: 'browser',
  async check() {
    const found = findChromium();
    if (!found) return missing('there is no Chromium', 'npx playwright install --with-deps chromium');
    try {
      const browser = await chromium.launch({ executablePath: found.executablePath, args: chromiumArgs(), timeout: launchTimeoutMs });
      try {
        const page = await browser.newPage();
        await page.setContent('<h1>doctor</h1>');
        const image = await page.screenshot({ timeout: launchTimeoutMs });
        return ok(`Chromium ${browser.version()} (${found.source}: ${found.executablePath}), screenshot of ${image.length} bytes`);
      } finally {
        await browser.close();
      }
    } catch (error) {
      const reason = (error as Error).message.split('\n').find(line => line.trim() !== '') ?? '';
      return missing(`${found.executablePath} does not start: ${reason}`, 'npx playwright install --with-deps chromium');
    }
  },
};
