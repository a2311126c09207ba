import type { ElementHandle, Page } from '@playwright/test';
import { cleanText, oneLine } from '../clean-text.ts';
import { within, withinOr } from '../deadline.ts';
import type { ParsedLine } from './language.ts';
import type { BoundElement } from './look.ts';
import { optionList } from './numbering.ts';

/** What an action came to. `problem` is a sentence for the model; absent when it worked. */
export interface Performed {
  problem?: string;
  output?: string;
}

/**
 * Performs one action on the page in front. `target` is the very node that the action's number was given to: when it is gone the
 * action is refused with `ElementVanished`, and nothing is done to what took its place.
 */
export async function perform({
  action,
  page,
  target,
  timeoutMs,
  readMainText,
}: {
  action: Exclude<ParsedLine, { verb: 'tab' }>;
  page: Page;
  target: BoundElement | undefined;
  timeoutMs: number;
  readMainText: () => Promise<string>;
}): Promise<Performed> {
  try {
    const promise =
      'element' in action ? onElement({ action, page, target, timeoutMs }) : onPage({ action, page, timeoutMs, readMainText });
    const performed = await within({ promise, timeoutMs: timeoutMs + 1_000, what: 'the page' });
    await withinOr({ promise: page.waitForLoadState('domcontentloaded'), timeoutMs: 3_000, otherwise: undefined });
    return performed;
  } catch (error) {
    return { problem: problemText({ message: (error as Error).message, timeoutMs }) };
  }
}

async function onElement({
  action,
  page,
  target,
  timeoutMs,
}: {
  action: Extract<ParsedLine, { element: number }>;
  page: Page;
  target: BoundElement | undefined;
  timeoutMs: number;
}): Promise<Performed> {
  const name = `element ${action.element}${target ? `, ${target.label},` : ''}`;
  if (target && target.page !== page && !target.page.isClosed())
    return { problem: `${name} is in another tab than the current one: end the turn after changing tabs` };
  if (!target || !(await isThere(target.handle)))
    return {
      problem: `ElementVanished: ${name} is not there any more; the page has changed since it got its number. Nothing was done with it. Look at the new numbers.`,
    };
  const { handle, label } = target;
  switch (action.verb) {
    case 'click':
      await handle.click({ timeout: timeoutMs });
      return {};
    case 'type':
      await handle.fill(action.text, { timeout: timeoutMs });
      return {};
    case 'select':
      return select({ handle, label, option: action.option, timeoutMs });
  }
}

async function select({
  handle,
  label,
  option,
  timeoutMs,
}: {
  handle: ElementHandle;
  label: string;
  option: string;
  timeoutMs: number;
}): Promise<Performed> {
  const options = await handle.evaluate(element =>
    element instanceof HTMLSelectElement ? [...element.options].map(each => each.label.replace(/\s+/g, ' ').trim()) : null,
  );
  if (!options) return { problem: `${label} is not a list of the browser: click it, then click the option in the next turn` };
  const index = options.indexOf(option.replace(/\s+/g, ' ').trim());
  if (index < 0) return { problem: `${label} has no option ${JSON.stringify(option)}; it has: ${optionList(options)}` };
  await handle.selectOption({ index }, { timeout: timeoutMs });
  return {};
}

async function onPage({
  action,
  page,
  timeoutMs,
  readMainText,
}: {
  action: Exclude<ParsedLine, { element: number } | { verb: 'tab' }>;
  page: Page;
  timeoutMs: number;
  readMainText: () => Promise<string>;
}): Promise<Performed> {
  switch (action.verb) {
    case 'press':
      await page.keyboard.press(action.key);
      return {};
    case 'scroll':
      return scroll({ page, sign: action.direction === 'up' ? -1 : 1 });
    case 'back':
      return back({ page, timeoutMs });
    case 'wait':
      return wait({ page, timeoutMs });
    case 'read':
      return { output: await readMainText() };
  }
}

/** Scrolls the page, or what scrolls in its middle when the page itself does not. */
async function scroll({ page, sign }: { page: Page; sign: 1 | -1 }): Promise<Performed> {
  const moved = await page.evaluate(direction => {
    const page = document.scrollingElement ?? document.documentElement;
    let target: Element = page;
    if (page.scrollHeight <= innerHeight)
      for (let at = document.elementFromPoint(innerWidth / 2, innerHeight / 2); at && target === page; at = at.parentElement)
        if (at.scrollHeight > at.clientHeight && /auto|scroll/.test(getComputedStyle(at).overflowY)) target = at;
    const before = target.scrollTop;
    target.scrollBy({ top: direction * Math.round(0.8 * Math.min(target.clientHeight, innerHeight)), behavior: 'instant' });
    return target.scrollTop !== before;
  }, sign);
  return moved ? {} : { problem: `nothing moved: this is the ${sign < 0 ? 'top' : 'bottom'} already` };
}

async function back({ page, timeoutMs }: { page: Page; timeoutMs: number }): Promise<Performed> {
  const before = page.url();
  const response = await page.goBack({ waitUntil: 'domcontentloaded', timeout: timeoutMs });
  const nowhere = { problem: 'there is no page to go back to' };
  if (!response && page.url() === before) return nowhere;
  if (page.url() !== 'about:blank') return {};
  // The empty tab that it all began in; no action leads away from there.
  await page.goForward({ waitUntil: 'domcontentloaded', timeout: timeoutMs });
  return nowhere;
}

async function wait({ page, timeoutMs }: { page: Page; timeoutMs: number }): Promise<Performed> {
  const before = await page.evaluate(() => document.body?.innerText ?? '');
  const changed = await page
    .waitForFunction(text => (document.body?.innerText ?? '') !== text, before, { timeout: timeoutMs, polling: 100 })
    .then(
      () => true,
      () => false,
    );
  return changed ? {} : { output: `the text of the page did not change in ${timeoutMs / 1000} s` };
}

/** Also false when its document is gone. */
function isThere(handle: ElementHandle): Promise<boolean> {
  const promise = handle.evaluate(element => element.isConnected).catch(() => false);
  return within({ promise, timeoutMs: 2_000, what: 'the page' });
}

function problemText({ message, timeoutMs }: { message: string; timeoutMs: number }): string {
  const text = cleanText(message);
  const cover = /(<[^>]{1,200}>)[^\n]* intercepts pointer events/.exec(text)?.[1];
  if (cover) return `it is covered by ${oneLine(cover, 120)}: close what lies over it first`;
  if (/not attached|Execution context was destroyed|Cannot find context/.test(text))
    return 'ElementVanished: the element disappeared while it was acted on. Look at the new numbers.';
  if (/element is not visible|outside of the viewport/.test(text)) return 'it cannot be seen: nothing was done';
  if (/not an <input>/.test(text)) return 'text cannot be typed there: it is no text field';
  if (/Timeout|did not answer/.test(text)) return `it did not work within ${timeoutMs / 1000} s`;
  return oneLine(text.split('\n')[0]?.replace(/^[\w.]+: /, '') ?? '', 200);
}
