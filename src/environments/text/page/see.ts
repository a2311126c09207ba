import { childrenOf, isInline, nameOf, squeeze } from '../../view/dom/names.ts';
import { roleOf } from '../../view/dom/roles.ts';
import { fieldValueOf, statesOf } from '../../view/dom/states.ts';
import { isInvisible, isSkipped, isUnseen } from '../../view/dom/visibility.ts';
import { isClickable } from '../../view/dom/walk.ts';

// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

export interface SeeLimits {
  /** DOM elements visited at most. */
  nodes: number;
  timeMs: number;
  /** Controls reported at most. */
  elements: number;
  /** Characters of text reported at most. */
  textChars: number;
}

/** A control as a person sees it. */
export interface SeenElement {
  role: string;
  name: string;
  states: string[];
  value?: string;
  placeholder?: string;
  options?: string[];
  /** Pixels between it and the viewport; 0 when it is inside. */
  far: number;
  disabled: boolean;
}

/** One frame of a page. */
export interface Sight {
  title: string;
  seen: SeenElement[];
  /** Visible text of `main`, or of the whole page where there is none. */
  text: string;
  /** Characters of text left out because a person cannot see them. */
  unseenChars: number;
  /** The page was too large to be walked whole. */
  partial: boolean;
  /** Pixels: scrolled, height of the viewport, height of the page. */
  scroll: [number, number, number];
}

export interface Seeing {
  limits: SeeLimits;
  left: number;
  until: number;
  elements: Element[];
  sight: Sight;
  main: Element | null;
  inMain: boolean;
  backgrounds: Map<Element, string>;
}

/** The controls of a frame, and what is known about each at the same index. */
export function seePage(limits: SeeLimits): { elements: Element[]; sight: Sight } {
  // A page may have emptied its document.
  const page = document.documentElement as HTMLElement | null;
  const main = document.querySelector('main, [role=main]');
  const seeing: Seeing = {
    limits,
    left: limits.nodes,
    until: performance.now() + limits.timeMs,
    elements: [],
    sight: {
      title: document.title.slice(0, 300),
      seen: [],
      text: '',
      unseenChars: 0,
      partial: false,
      scroll: [Math.round(scrollY), innerHeight, page?.scrollHeight ?? 0],
    },
    main: main?.checkVisibility() ? main : null,
    inMain: false,
    backgrounds: new Map(),
  };
  if (document.body) seeElement(document.body, seeing);
  seeing.sight.partial = seeing.left <= 0;
  seeing.sight.text = seeing.sight.text.split('\n').map(squeeze).filter(Boolean).join('\n').slice(0, limits.textChars);
  return { elements: seeing.elements, sight: seeing.sight };
}

export function seeElement(element: Element, seeing: Seeing): void {
  seeing.left -= 1;
  if (seeing.left % 64 === 0 && performance.now() > seeing.until) seeing.left = 0;
  if (seeing.left <= 0 || isSkipped(element)) return;
  const role = controlRoleOf(element);
  if (role && isInSight(element, seeing) && seeing.elements.length < seeing.limits.elements) {
    seeing.elements.push(element);
    seeing.sight.seen.push(seenElement(element, role));
  }
  const outer = seeing.inMain;
  if (element === seeing.main) seeing.inMain = true;
  const closed = element.localName === 'details' && !(element as HTMLDetailsElement).open;
  const isField = element.matches('select, textarea, iframe');
  if (!isField)
    for (const child of closed ? element.querySelectorAll(':scope > summary') : childrenOf(element)) {
      if (child.nodeType === 3) seeText(child.nodeValue ?? '', element, seeing);
      else if (child.nodeType === 1) seeElement(child as Element, seeing);
    }
  seeing.inMain = outer;
  if (!isInline(element) || element.localName === 'br') seeing.sight.text += '\n';
}

export function seeText(text: string, parent: Element, seeing: Seeing): void {
  if (!text.trim()) {
    if (text) seeing.sight.text += ' ';
    return;
  }
  if (isInvisible(parent)) return;
  if (isUnseen(parent, seeing.backgrounds)) seeing.sight.unseenChars += squeeze(text).length;
  else if ((seeing.inMain || !seeing.main) && seeing.sight.text.length < seeing.limits.textChars * 2) seeing.sight.text += text;
}

/** The role of what can be acted on; empty for everything else. */
export function controlRoleOf(element: Element): string {
  const role = roleOf(element);
  if (
    /^(link|button|checkbox|radio|switch|textbox|searchbox|combobox|listbox|spinbutton|slider|tab|menuitem|menuitemcheckbox|menuitemradio|treeitem|summary)$/.test(
      role,
    )
  )
    return role;
  if (role === 'option') return element.localName === 'option' ? '' : role;
  if (role !== '') return '';
  if (/^(|true|plaintext-only)$/.test(element.getAttribute('contenteditable') ?? 'no')) return 'textbox';
  return isClickable(element) ? 'clickable' : '';
}

/** Whether a person can see a control. Inputs may be transparent under a drawn one; a picture needs no text. */
export function isInSight(element: Element, seeing: Seeing): boolean {
  if (isInvisible(element)) return false;
  const { width, height } = element.getBoundingClientRect();
  if (element.localName === 'input') return true;
  if ((width === 0 || height === 0) && element.childElementCount === 0) return false;
  return element.querySelector('img, svg') !== null || (element.textContent ?? '').trim() === '' || !isUnseen(element, seeing.backgrounds);
}

export function seenElement(element: Element, role: string): SeenElement {
  const name = nameOf(element, role) || (element.localName === 'a' ? (element as HTMLAnchorElement).href : '');
  const value = fieldValueOf(element, role);
  const placeholder = squeeze(element.getAttribute('placeholder') ?? '');
  const states = statesOf(element, role);
  if (/^(checkbox|radio|switch)$/.test(role) && !states.some(state => /^(checked|mixed)$/.test(state))) states.push('unchecked');
  const { top, bottom } = element.getBoundingClientRect();
  const far = Math.max(0, Math.round(bottom <= 0 ? 1 - bottom : top >= innerHeight ? top - innerHeight + 1 : 0));
  if (far > 0) states.push('off-screen');
  else if (isCovered(element)) states.push('covered');
  return {
    role,
    name: squeeze(name).slice(0, 100),
    states,
    ...(value === undefined ? {} : { value: squeeze(value).slice(0, 100) }),
    ...(placeholder && placeholder !== name ? { placeholder: placeholder.slice(0, 60) } : {}),
    ...(element.localName === 'select'
      ? { options: [...(element as HTMLSelectElement).options].slice(0, 200).map(option => squeeze(option.label).slice(0, 60)) }
      : {}),
    far,
    disabled: states.includes('disabled'),
  };
}

/** Whether something else would get a click on its middle. */
export function isCovered(element: Element): boolean {
  const { left, top, width, height } = element.getBoundingClientRect();
  const root = element.getRootNode() as Document | ShadowRoot;
  const hit = root.elementFromPoint(left + width / 2, top + height / 2);
  if (!hit || element.contains(hit) || hit.contains(element)) return false;
  return hit.closest('label')?.control !== element;
}
