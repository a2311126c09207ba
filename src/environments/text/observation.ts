import type { Observation } from '../../core/environment.ts';
import type { ImagePart } from '../../core/messages.ts';
import type { Redact } from '../../core/redact.ts';
import { cleanText, oneLine } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import type { Tab } from '../page/tabs.ts';
import type { Look } from './look.ts';

/** Characters of the page's text in each observation; `read` gives more. */
const summaryChars = 600;

/** Everything that was seen after a turn, bounded, cleaned and without secrets, under the names that templates use. */
export async function assembleObservation({
  look,
  tab,
  tabs,
  problem,
  output,
  events,
  downloads,
  screenshot,
  redact,
}: {
  /** Null when the page does not answer. */
  look: Look | null;
  tab: Tab;
  tabs: Tab[];
  problem: string;
  output: string;
  events: string[];
  downloads: { name: string; bytes: number; preview: string }[];
  screenshot: ImagePart | undefined;
  redact: Redact;
}): Promise<Observation> {
  const shown = (text: string) => redact(cleanText(text));
  const exception = shown(problem);
  const elements = shown(look?.list ?? '(the page does not answer)');
  const text = shown(look ? summaryOf(look) : '');
  return {
    success: exception === '',
    exception,
    fields: {
      url: shown(oneLine(tab.page.url(), 500)),
      title: shown(oneLine(look?.title ?? '', 120)),
      status: tab.status,
      tabs: await Promise.all(
        tabs.map(async (each, index) => ({
          number: index + 1,
          url: shown(oneLine(each.page.url(), 300)),
          title: shown(oneLine(await withinOr({ promise: each.page.title(), timeoutMs: 500, otherwise: '' }), 120)),
          current: each === tab,
        })),
      ),
      events: events.map(event => shown(inOurWords(event))),
      exception,
      output: shown(output),
      downloads: downloads.map(({ name, bytes, preview }) => ({ name: shown(name), bytes, preview: shown(preview) })),
      elements,
      scroll: look ? scrollText(look.scroll) : '',
      text,
      prunable: [elements, text].filter(each => each.length > 200),
    },
    ...(screenshot ? { screenshot } : {}),
  };
}

function summaryOf({ text, unseenChars, partial }: Look): string {
  return [
    text.length > summaryChars ? `${text.slice(0, summaryChars).toWellFormed()} … (${text.length} characters: read)` : text,
    ...(unseenChars > 0 ? [`(${unseenChars} characters that a person cannot see are left out)`] : []),
    ...(partial ? ['(the page is too large to be looked at whole)'] : []),
  ]
    .filter(Boolean)
    .join('\n');
}

/** Where the viewport stands, which is what scrolling changes. */
function scrollText([top, viewport, whole]: Look['scroll']): string {
  return whole <= viewport ? '' : `${top}–${top + viewport} of ${whole} px`;
}

/** Events that live mode words for code. */
function inOurWords(event: string): string {
  if (event.startsWith('file chooser:')) return 'file chooser: closed again; files cannot be chosen here';
  return event
    .replace('`page` was closed; it is the last tab now', 'the current tab was closed; the last one is current now')
    .replace('is `page` now', 'is the current tab now');
}
