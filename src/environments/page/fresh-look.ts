import type { Page, Route } from '@playwright/test';
import type { EvidenceItem } from '../../core/evidence.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import { withinOr } from '../deadline.ts';
import { captureEvidence } from './screenshot.ts';
import { createStepRequests } from './step-requests.ts';

/** Addresses looked at, the one in front first. */
const maxUrls = 3;
const loadMs = 8_000;
/** Requests of a page that draws itself may still answer for this long. */
const settleMs = 1_500;
const reading = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * The addresses where an agent ended, opened once more in pages of the harness's own, as evidence labelled `fresh` (reference: reliability.md
 * §8 rule 5): what only the agent's page shows was made there. Pages only read: any other request is aborted. Call it when nothing of the
 * agent runs, or it could reach into these pages too. An address that cannot be opened gives no evidence.
 *
 * @example
 * const items = await lookAfresh({ openPage: () => context.newPage(), urls: ['http://shop.localhost/orders/CB-1001'], step: 4, evidence });
 */
export async function lookAfresh({
  openPage,
  urls,
  step,
  evidence,
}: {
  openPage: () => Promise<Page>;
  urls: readonly string[];
  step: number;
  evidence: EvidenceStore;
}): Promise<EvidenceItem[]> {
  const items: EvidenceItem[] = [];
  const targets = [...new Set(urls)].filter(url => /^https?:/i.test(url)).slice(0, maxUrls);
  for (const url of targets) {
    const page = await withinOr({ promise: openPage(), timeoutMs: loadMs, otherwise: null });
    if (!page) continue;
    const item = await lookAt({ page, url, step, evidence }).catch(() => null);
    await withinOr({ promise: page.close(), timeoutMs: 2_000, otherwise: undefined });
    if (item) items.push(item);
  }
  return items;
}

async function lookAt({
  page,
  url,
  step,
  evidence,
}: {
  page: Page;
  url: string;
  step: number;
  evidence: EvidenceStore;
}): Promise<EvidenceItem | null> {
  page.on('dialog', dialog => void dialog.dismiss().catch(() => {}));
  await page.route('**/*', (route: Route) => (reading.has(route.request().method()) ? route.fallback() : route.abort()));
  const requests = createStepRequests();
  page.on('request', requests.began);
  page.on('requestfinished', requests.ended);
  page.on('requestfailed', requests.ended);
  const goto = page.goto(url, { waitUntil: 'load', timeout: loadMs });
  const response = await withinOr({ promise: goto, timeoutMs: loadMs + 500, otherwise: null });
  // An address that never finishes loading may still show something; a download or an error page of the browser shows nothing.
  if (!response && !/^https?:/i.test(page.url())) return null;
  await requests.settled(settleMs);
  const status = response && response.status() >= 400 ? `(HTTP status ${response.status()})\n` : '';
  return captureEvidence({ tab: { page, cdp: Promise.resolve(null) }, step, label: 'fresh', before: status, evidence });
}
