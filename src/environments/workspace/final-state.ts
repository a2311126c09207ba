import type { FinalPage, FinalState } from '../../core/evidence.ts';
import { type BrowserSessions, visibleText } from './browser-sessions.ts';

const maxTextChars = 100_000;

/** The pages that the newest run of the final script left open, and what was downloaded, for checks decided by code. */
export async function finalStateOf({ sessions, step }: { sessions: BrowserSessions; step: number }): Promise<FinalState> {
  await sessions.captureOpen({ step, label: 'tab' });
  const pages = sessions.openPages().map(async ({ page, current }): Promise<FinalPage> => {
    const [title, text] = await Promise.all([page.title().catch(() => ''), visibleText(page)]);
    return {
      url: page.url(),
      title,
      text: text.slice(0, maxTextChars),
      current,
      texts: selector =>
        page
          .locator(selector)
          .allInnerTexts()
          .catch(() => []),
    };
  });
  return { pages: await Promise.all(pages), downloads: [...sessions.downloads] };
}
