import type { FinalState } from '../../core/evidence.ts';
import type { EvidenceStore } from '../../record/evidence.ts';
import { finalPage } from '../page/final-page.ts';
import type { BrowserSessions } from './browser-sessions.ts';

/** The pages that the newest run of the final script left open, and what was downloaded, for checks decided by code. */
export async function finalStateOf({
  sessions,
  evidence,
  step,
}: {
  sessions: BrowserSessions;
  evidence: EvidenceStore;
  step: number;
}): Promise<FinalState> {
  await sessions.captureOpen({ step, label: 'tab' });
  return { pages: await Promise.all(sessions.openPages().map(finalPage)), downloads: [...evidence.downloads] };
}
