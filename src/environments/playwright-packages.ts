import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { chromium } from '@playwright/test';

/** Folders of the Playwright packages that this package uses. `playwright` and `playwright-core` are found from their parents, as pnpm needs it. */
export interface PlaywrightPackages {
  '@playwright/test': string;
  playwright: string;
  'playwright-core': string;
}

/** Finds the Playwright packages as seen from a module. */
export function playwrightPackages(moduleUrl: string): PlaywrightPackages {
  const folder = (name: string, from: string) => realpathSync(dirname(createRequire(from).resolve(`${name}/package.json`)));
  const test = folder('@playwright/test', moduleUrl);
  const playwright = folder('playwright', join(test, 'package.json'));
  return { '@playwright/test': test, playwright, 'playwright-core': folder('playwright-core', join(playwright, 'package.json')) };
}

/** `chromium` of playwright-core: half the load time of `@playwright/test`, whose test runner a script does not need. */
export async function loadChromium(moduleUrl: string): Promise<typeof chromium> {
  const core = playwrightPackages(moduleUrl)['playwright-core'];
  const module = (await import(pathToFileURL(join(core, 'index.mjs')).href)) as { chromium: typeof chromium };
  return module.chromium;
}
