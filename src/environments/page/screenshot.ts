import { createHash } from 'node:crypto';
import type { EvidenceItem, EvidenceStore } from '../../record/evidence.ts';
import { within } from '../deadline.ts';
import { readWords } from './page-words.ts';
import type { Tab } from './tabs.ts';

/** The outer limit; Playwright's own timeout is not kept by a hung renderer while a trace is recorded. */
const timeoutMs = 5_000;

/**
 * Captures the viewport with URL, title, visible text and the values of fields as evidence. A page that looks and reads the same as in the last
 * capture of the same label is not stored twice. Null when the page gave no picture in time.
 */
export async function captureEvidence({
  tab: { page, cdp },
  step,
  label,
  before = '',
  evidence,
}: {
  tab: Pick<Tab, 'page' | 'cdp'>;
  step: number;
  label: 'step' | 'tab' | 'fresh' | 'question';
  /** What goes before the text of the page. */
  before?: string;
  evidence: EvidenceStore;
}): Promise<EvidenceItem | null> {
  const [bytes, { title, text, fields }] = await Promise.all([
    within({ promise: page.screenshot({ type: 'png', scale: 'css', timeout: timeoutMs }), timeoutMs, what: 'screenshot' }).catch(
      () => null,
    ),
    readWords({ page, cdp }),
  ]);
  if (!bytes) return null;
  const url = page.url();
  const shownText = `${before}${text}`.slice(0, 4_000);
  const last = evidence.items.findLast(item => item.source === 'harness' && item.label === label);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const same =
    last?.image.sha256 === sha256 && last.url === url && last.title === title && last.text === shownText && last.fields === fields;
  if (label === 'step' && same) return last;
  return evidence.add({ step, source: 'harness', label, url, title, text: shownText, fields, bytes, mediaType: 'image/png' });
}
