import { readFileSync } from 'node:fs';
import type { BrowserContext, BrowserContextOptions } from '@playwright/test';

/**
 * Adds a storage state to a context that has a life of its own: cookies and local storage of the state are set, everything else
 * stays. (`context.setStorageState()` would first delete what a profile holds.)
 */
export async function addStorageState({
  context,
  storageState,
}: {
  context: BrowserContext;
  storageState: NonNullable<BrowserContextOptions['storageState']>;
}): Promise<void> {
  const state =
    typeof storageState === 'string'
      ? (JSON.parse(readFileSync(storageState, 'utf8')) as Exclude<typeof storageState, string>)
      : storageState;
  if (state.cookies.length > 0) await context.addCookies(state.cookies);
  const origins = state.origins.filter(({ localStorage }) => localStorage.length > 0);
  if (origins.length === 0) return;
  const page = await context.newPage();
  // Only the origin counts: no server is asked.
  await page.route('**/*', route => route.fulfill({ contentType: 'text/html', body: '' }));
  for (const { origin, localStorage: items } of origins) {
    await page.goto(origin);
    await page.evaluate(entries => {
      for (const { name, value } of entries) localStorage.setItem(name, value);
    }, items);
  }
  await page.close();
}
