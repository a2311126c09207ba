import type { ElementHandle, Frame, JSHandle, Page } from '@playwright/test';
import { within, withinOr } from '../deadline.ts';
import { chooseElements, elementLine, type NumberedElement } from './numbering.ts';
import { seeScript } from './page/script.ts';
import type { Sight } from './page/see.ts';

const callMs = 3_000;
const maxFrames = 6;
const seeLimits = { nodes: 20_000, timeMs: 800, elements: 1_000 };

/** A page as it was shown: number N is `elements[N - 1]`. */
export interface Look {
  title: string;
  elements: BoundElement[];
  /** The list as the model reads it. */
  list: string;
  text: string;
  unseenChars: number;
  partial: boolean;
  scroll: Sight['scroll'];
  /** Lets the browser forget the elements; their numbers are void. */
  release(): void;
}

/** An element that has a number, bound to the very node that was seen. */
export interface BoundElement {
  page: Page;
  /** Role and name, for sentences about it. */
  label: string;
  handle: ElementHandle;
}

/**
 * Looks at a page with its frames and binds numbers to the elements seen. The list has at most `listChars` characters: what is
 * farthest from the viewport is left out first. Throws a `DeadlineError` when the page does not answer.
 */
export async function lookAt({ page, listChars, textChars }: { page: Page; listChars: number; textChars: number }): Promise<Look> {
  const frames = await seeFrames({ page, textChars });
  const candidates = frames.flatMap(({ sight, inside }, frame) => sight.seen.map((seen, index) => ({ ...seen, frame, index, inside })));
  const { shown, omitted } = chooseElements({ elements: candidates, chars: listChars });
  const handles = await Promise.all(
    frames.map((seen, frame) =>
      handlesOf(
        seen.handle,
        shown.filter(each => each.frame === frame && !each.disabled),
      ),
    ),
  );
  const elements: BoundElement[] = [];
  const lines: string[] = [];
  for (const each of shown) {
    const handle = each.disabled ? undefined : handles[each.frame]?.get(each.index);
    if (handle) elements.push({ page, label: `${each.role} ${JSON.stringify(each.name)}`, handle });
    lines.push(elementLine({ element: each, number: handle ? elements.length : null }));
  }
  if (omitted > 0) lines.push(`(${omitted} more elements farther away: scroll towards them)`);
  const [main] = frames.map(({ sight }) => sight) as [Sight];
  return {
    title: main.title,
    elements,
    list: lines.join('\n') || '(no elements to act on)',
    text: frames
      .map(({ sight }) => sight.text)
      .filter(Boolean)
      .join('\n'),
    unseenChars: frames.reduce((sum, { sight }) => sum + sight.unseenChars, 0),
    partial: frames.some(({ sight }) => sight.partial),
    scroll: main.scroll,
    release() {
      for (const { handle } of [...elements, ...frames]) void handle.dispose().catch(() => {});
    },
  };
}

interface SeenFrame {
  handle: JSHandle<{ elements: Element[]; sight: Sight }>;
  sight: Sight;
  /** Name of the frame; empty for the page itself. */
  inside: string;
}

async function seeFrames({ page, textChars }: { page: Page; textChars: number }): Promise<SeenFrame[]> {
  // A navigation in the middle is waited for once.
  const main = await seeFrame({ frame: page.mainFrame(), textChars }).catch(async error => {
    if (!/context|navigat|frame/i.test((error as Error).message)) throw error;
    await withinOr({ promise: page.waitForLoadState('domcontentloaded'), timeoutMs: callMs, otherwise: undefined });
    return seeFrame({ frame: page.mainFrame(), textChars });
  });
  const inner = page.frames().filter(frame => frame !== page.mainFrame());
  const seen = await Promise.all(
    inner.slice(0, maxFrames).map(frame =>
      withinOr({
        promise: frame.frameElement().then(async element => ((await element.isVisible()) ? seeFrame({ frame, textChars }) : null)),
        timeoutMs: 1_000,
        otherwise: null,
      }),
    ),
  );
  return [main, ...seen.flatMap(frame => frame ?? [])];
}

async function seeFrame({ frame, textChars }: { frame: Frame; textChars: number }): Promise<SeenFrame> {
  const handle = (await within({
    promise: frame.evaluateHandle(seeScript({ ...seeLimits, textChars })),
    timeoutMs: callMs,
    what: 'the page',
  })) as SeenFrame['handle'];
  const sight = await within({ promise: handle.evaluate(({ sight }) => sight), timeoutMs: callMs, what: 'the page' });
  return { handle, sight, inside: frame.parentFrame() ? frame.name() || 'a frame' : '' };
}

/** The nodes themselves, by their index in what was seen. */
async function handlesOf(handle: SeenFrame['handle'], wanted: NumberedElement[]): Promise<Map<number, ElementHandle>> {
  const indexes = wanted.map(({ index }) => index);
  const picked = await within({
    promise: handle.evaluateHandle(({ elements }, at) => at.map(index => elements[index]), indexes),
    timeoutMs: callMs,
    what: 'the page',
  });
  const properties = await within({ promise: picked.getProperties(), timeoutMs: callMs, what: 'the page' });
  void picked.dispose().catch(() => {});
  return new Map(
    indexes.flatMap((index, at) => {
      const element = properties.get(String(at))?.asElement();
      return element ? [[index, element]] : [];
    }),
  );
}
