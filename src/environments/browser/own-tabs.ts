import type { BrowserContext, Page } from '@playwright/test';

const hidden = new WeakMap<BrowserContext, Set<Page>>();

/**
 * Takes the tabs that are open in a person's own browser out of `context.pages()`, so that neither Playwright's artefacts (screenshots,
 * the page snapshot of a failure) nor ours nor the model's observation show them. New tabs are not hidden.
 */
export function hideOpenTabs(context: BrowserContext): void {
  const all = context.pages.bind(context);
  const before = new Set(all());
  hidden.set(context, before);
  context.pages = () => all().filter(page => !before.has(page));
}

/** Names of the hidden tabs in Playwright's protocol, for other processes on the same context. */
export function hiddenTabGuids(context: BrowserContext): string[] {
  return [...(hidden.get(context) ?? [])].map(page => (page as unknown as { _guid: string })._guid);
}
