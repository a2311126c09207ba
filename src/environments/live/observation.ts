import type { Observation } from '../../core/environment.ts';
import type { ImagePart } from '../../core/messages.ts';
import type { Redact } from '../../core/redact.ts';
import { cleanText, oneLine } from '../clean-text.ts';
import { withinOr } from '../deadline.ts';
import { hintFor } from '../page/hints.ts';
import type { Tab } from '../page/tabs.ts';
import type { RunEnd } from './child.ts';
import type { PageView } from './observe.ts';
import type { LiveLimits } from './options.ts';

/** Everything that was seen after a step, bounded, cleaned and without secrets, under the names that templates use. */
export async function assembleObservation({
  tab,
  tabs,
  view,
  end,
  limits,
  events,
  downloads,
  screenshot,
  redact,
}: {
  tab: Tab;
  tabs: Tab[];
  view: PageView;
  end: RunEnd | undefined;
  limits: LiveLimits;
  events: string[];
  downloads: { name: string; bytes: number; preview: string }[];
  screenshot: ImagePart | undefined;
  redact: Redact;
}): Promise<Observation> {
  const shown = (text: string) => redact(cleanText(text));
  const exception = end ? shown(exceptionText({ end, limits })) : '';
  const aria = shown(view.aria);
  return {
    success: exception === '',
    exception,
    fields: {
      url: shown(tab.page.url()),
      title: shown(oneLine(view.title, 120)),
      status: tab.status,
      tabs: await Promise.all(tabs.map((each, index) => describeTab({ tab: each, index, title: each === tab ? view.title : null, shown }))),
      events: events.map(shown),
      output: shown(end?.output ?? ''),
      return_value: shown(end?.value ?? ''),
      exception,
      downloads: downloads.map(({ name, bytes, preview }) => ({ name: shown(name), bytes, preview: shown(preview) })),
      aria,
      aria_mode: view.aria_mode,
      // What the conversation may leave out of old steps, and which step a delta needs to stay.
      ...(aria.length > 400 ? { prunable: [aria] } : {}),
      ...(view.base_step === undefined ? {} : { base_step: view.base_step }),
    },
    ...(screenshot ? { screenshot } : {}),
  };
}

async function describeTab({
  tab,
  index,
  title,
  shown,
}: {
  tab: Tab;
  index: number;
  title: string | null;
  shown: (text: string) => string;
}) {
  const text = title ?? (await withinOr({ promise: tab.page.title(), timeoutMs: 500, otherwise: '' }));
  return { index, url: shown(oneLine(tab.page.url(), 300)), title: shown(oneLine(text, 120)), current: title !== null };
}

/** What went wrong in a step, in words the model can act on; empty when nothing did. */
export function exceptionText({ end, limits }: { end: RunEnd; limits: LiveLimits }): string {
  const fresh = 'The page is still there; variables in `state` are lost.';
  switch (end.how) {
    case 'returned':
      return '';
    case 'threw':
      return [end.error, hintFor(end.error)].filter(Boolean).join('\n');
    case 'deadline':
      return `The code did not finish within ${limits.stepTimeoutMs / 1000} s and was ended. ${fresh} Do less in one step, and give waits a timeout of their own.`;
    case 'aborted':
      return 'The attempt is being ended.';
    case 'memory-limit':
      return `The code used more than ${limits.memoryMb} MB of memory and was ended. ${fresh}`;
    case 'output-limit':
      return `The code printed more than 64 MB and was ended. ${fresh}`;
    case 'protocol':
      return `The code sent more than the harness reads and was ended. ${fresh}`;
    case 'exited':
      return `The process that runs the code ended by itself (${end.error}). ${fresh}`;
  }
}
