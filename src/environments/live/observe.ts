import { cleanText } from '../clean-text.ts';
import { DeadlineError, within } from '../deadline.ts';
import type { Tab } from '../page/tabs.ts';
import { deltaText } from '../view/delta.ts';
import type { Line } from '../view/lines.ts';
import { readPageTree } from '../view/page-tree.ts';
import type { PageTree } from '../view/tree.ts';
import { foldedView } from '../view/view.ts';

/** How the page is shown: folded with deltas, the whole ARIA snapshot, or not at all. */
export type AriaMode = 'folded' | 'full' | 'off';

/** The page part of an observation. */
export interface PageView {
  aria: string;
  aria_mode: AriaMode | 'delta';
  /** For a delta: the step with the whole view that it, over the deltas in between, goes back to. */
  base_step?: number;
  title: string;
  online: boolean;
  /** Facts about the page that are worth a line, each told once. */
  facts: string[];
  /** The page did not answer in time. */
  lost?: true;
}

/** After so many deltas in a row the whole view is shown again, so that older steps can leave the conversation. */
const maxDeltas = 8;
const snapshotMs = 5_000;
const titleMs = 2_000;

/** Looks at pages step after step and remembers what was shown last. */
export interface Viewer {
  view(options: { tab: Tab; step: number }): Promise<PageView>;
}

/** A viewer whose views have at most `chars` characters. */
export function createViewer({ mode, chars }: { mode: AriaMode; chars: number }): Viewer {
  let last: { tab: Tab; url: string; step: number; baseStep: number; deltas: number; lines: Line[] } | undefined;

  const told = new Set<string>();

  const folded = async ({ tab, step }: { tab: Tab; step: number }): Promise<PageView> => {
    const tree = await readPageTree({ tab });
    const { online, title } = tree;
    const facts = factsOf(tree).filter(fact => !told.has(fact));
    for (const fact of facts) told.add(fact);
    if (tree.busy) facts.push('A part of the page says that it is still loading: what is shown there may be old.');
    if ((tree.root.c ?? []).length === 0) {
      last = undefined;
      if (tab.page.url() === 'about:blank')
        return { aria: '(a blank page; open an address with page.goto)', aria_mode: 'folded', title, online, facts };
      return {
        aria: `(the page is empty: HTTP status ${tab.status ?? 'unknown'}, content type ${tab.contentType || 'unknown'})`,
        aria_mode: 'folded',
        title,
        online,
        facts,
      };
    }
    const { text, lines } = foldedView({ tree, chars });
    const url = tab.page.url().split('#')[0] ?? '';
    const delta = last?.tab === tab && last.url === url && last.deltas < maxDeltas ? deltaText({ before: last.lines, after: lines }) : null;
    const previous = last;
    if (delta === null || !previous) {
      last = { tab, url, step, baseStep: step, deltas: 0, lines };
      return { aria: cleanText(text()), aria_mode: 'folded', title, online, facts };
    }
    last = { ...previous, step, deltas: previous.deltas + 1, lines };
    const aria = delta === '' ? `(no change since step ${previous.step})` : `(changes since step ${previous.step})\n${delta}`;
    return { aria: cleanText(aria), aria_mode: 'delta', base_step: previous.baseStep, title, online, facts };
  };

  return {
    async view({ tab, step }) {
      try {
        if (mode === 'folded') return await folded({ tab, step });
        const title = await within({ promise: tab.page.title(), timeoutMs: titleMs, what: 'the page' });
        return { aria: mode === 'full' ? await wholeSnapshot({ tab, chars }) : '', aria_mode: mode, title, online: true, facts: [] };
      } catch (error) {
        last = undefined;
        const aria = `(no view of the page: ${(error as Error).message.split('\n')[0]})`;
        return {
          aria,
          aria_mode: mode,
          title: '',
          online: true,
          facts: [],
          ...(error instanceof DeadlineError ? { lost: true as const } : {}),
        };
      }
    },
  };
}

/** What the test has set for the browser. */
function factsOf({ timeZone, language, now }: PageTree): string[] {
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  return [
    ...(timeZone === own ? [] : [`The time zone of the browser is ${timeZone}.`]),
    ...(language === 'en-US' ? [] : [`The language of the browser is ${language}.`]),
    ...(Math.abs(now - Date.now()) > 3_600_000 ? [`By the clock of the browser it is ${new Date(now).toISOString().slice(0, 10)}.`] : []),
  ];
}

/** Playwright's own ARIA snapshot, with passwords masked, cut to `chars`. */
async function wholeSnapshot({ tab: { page }, chars }: { tab: Tab; chars: number }): Promise<string> {
  const text = await within({ promise: page.ariaSnapshot({ timeout: snapshotMs }), timeoutMs: snapshotMs, what: 'the ARIA snapshot' });
  const passwords = await within({
    promise: page.locator('input[type=password]').evaluateAll(fields => fields.map(field => (field as HTMLInputElement).value)),
    timeoutMs: 2_000,
    what: 'the page',
  });
  let clean = cleanText(text);
  for (const password of passwords) if (password) clean = clean.replaceAll(password, '(hidden)');
  if (clean.length <= chars) return clean;
  return `${clean.slice(0, chars)}\n(cut: ${clean.length - chars} of ${clean.length} characters; see them with: return await page.locator('…').ariaSnapshot())`;
}
