import type { PageTree, TreeNode } from '../tree.ts';
import { columnsOf, likeMembers, selectorOf, selectorOfOne, shownMembers } from './groups.ts';
import { childrenOf, isInline, nameOf, squeeze } from './names.ts';
import { roleOf } from './roles.ts';
import { fieldValueOf, statesOf } from './states.ts';
import { isInvisible, isOffScreen, isSkipped, isUnseen } from './visibility.ts';

// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

export interface WalkLimits {
  /** Elements visited at most. */
  nodes: number;
  timeMs: number;
  /** Containers with more like members than this are folded. */
  group: number;
}

export interface Walk {
  limits: WalkLimits;
  left: number;
  until: number;
  frames: Element[];
  blocked: boolean;
  backgrounds: Map<Element, string>;
}

/** The tree of the page, within limits of time and size. */
export function walkPage(limits: WalkLimits): PageTree {
  const walk: Walk = {
    limits,
    left: limits.nodes,
    until: performance.now() + limits.timeMs,
    frames: [],
    blocked: false,
    backgrounds: new Map(),
  };
  const children = document.body ? walkChildren(document.body, walk) : [];
  // A page may have emptied its document.
  const page = document.documentElement as HTMLElement | null;
  return {
    root: { r: '', c: children },
    title: document.title.slice(0, 300),
    nodes: document.getElementsByTagName('*').length,
    partial: walk.left <= 0,
    online: navigator.onLine,
    loading: document.readyState === 'loading',
    busy: document.querySelector('[aria-busy=true]') !== null,
    timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    language: navigator.language,
    now: Date.now(),
    viewport: [innerHeight, page?.scrollHeight ?? 0, Math.round(scrollY)],
  };
}

export function walkChildren(element: Element, walk: Walk): TreeNode[] {
  const nodes: TreeNode[] = [];
  const closed = element.localName === 'details' && !(element as HTMLDetailsElement).open;
  for (const child of closed ? element.querySelectorAll(':scope > summary') : childrenOf(element)) {
    const node =
      child.nodeType === 3
        ? textNode(child.nodeValue ?? '', element, walk)
        : child.nodeType === 1
          ? walkElement(child as Element, walk)
          : undefined;
    if (!node) continue;
    const last = nodes.at(-1);
    // Words of one sentence stay one text, also across <b> and <span>.
    if (node.r === 'text' && last?.r === 'text' && last.h === node.h) last.n = `${last.n ?? ''}${node.n ?? ''}`;
    else nodes.push(node);
  }
  for (const node of nodes) if (node.r === 'text') node.n = squeeze(node.n ?? '');
  return nodes.filter(node => node.r !== 'text' || node.n);
}

export function textNode(text: string, parent: Element, walk: Walk): TreeNode | undefined {
  if (!text.trim()) return text ? { r: 'text', n: ' ' } : undefined;
  if (isInvisible(parent)) return undefined;
  return {
    r: 'text',
    n: text.slice(0, 2_000),
    ...(isOffScreen(parent) ? { o: 1 as const } : {}),
    ...(isUnseen(parent, walk.backgrounds) ? { h: 1 as const } : {}),
  };
}

export function walkElement(element: Element, walk: Walk): TreeNode | undefined {
  walk.left -= 1;
  if (walk.left % 64 === 0 && performance.now() > walk.until) walk.left = 0;
  if (walk.left <= 0) return undefined;
  if (isSkipped(element)) return blockedNode(element, walk);
  const role = roleOf(element);
  const tag = element.localName;
  if (tag === 'br') return { r: 'text', n: ' ' };
  // A label speaks through the control that it names, a legend through its group.
  if (tag === 'label' && (element as HTMLLabelElement).control) return container(element, walk, true);
  if (tag === 'legend' || tag === 'caption' || tag === 'figcaption') return undefined;
  if (role === 'iframe') return frameNode(element as HTMLIFrameElement, walk);
  if (isLeafRole(role)) return isInvisible(element) ? undefined : leafNode(element, role, walk);
  if (role === '' && isClickable(element)) return leafNode(element, 'clickable', walk);
  if (tag.includes('-') && !element.shadowRoot && element.childNodes.length === 0 && element.clientHeight > 0)
    return { r: 'custom element', n: tag };
  return container(element, walk, false);
}

/** What a dialog blocks is left out, but not silently. */
export function blockedNode(element: Element, walk: Walk): TreeNode | undefined {
  if (walk.blocked || !element.hasAttribute('inert') || !element.checkVisibility() || !(element.textContent ?? '').trim()) return undefined;
  walk.blocked = true;
  return { r: 'text', n: '(The rest of the page is blocked until the dialog is answered.)' };
}

/** Roles that are one item whatever they contain. */
export function isLeafRole(role: string): boolean {
  return /^(link|button|checkbox|radio|switch|textbox|searchbox|combobox|spinbutton|slider|option|tab|menuitem|menuitemcheckbox|menuitemradio|img|graphic|progressbar|meter|summary|canvas|video|audio|treeitem|scrollbar)$/.test(
    role,
  );
}

/** Containers that scripts made clickable; getByText finds them. */
export function isClickable(element: Element): boolean {
  if (!element.hasAttribute('onclick') && !element.hasAttribute('tabindex') && getComputedStyle(element).cursor !== 'pointer') return false;
  if (element.matches('label, body, html') || element.querySelector('a[href], button, input, select, textarea, [role], h1, h2, h3, h4'))
    return false;
  const text = element.textContent ?? '';
  return text.trim().length > 0 && text.length < 200 && Number(element.getAttribute('tabindex') ?? 0) >= 0;
}

export function leafNode(element: Element, role: string, walk: Walk): TreeNode | undefined {
  const name = nameOf(element, role);
  if (role === 'graphic') return name ? { r: 'img', n: name.slice(0, 150) } : undefined;
  const states = statesOf(element, role);
  const value = fieldValueOf(element, role);
  const placeholder = squeeze(element.getAttribute('placeholder') ?? '');
  const options =
    element.localName === 'select'
      ? [...(element as HTMLSelectElement).options].slice(0, 300).map(option => option.label.trim().slice(0, 80))
      : [];
  return {
    r: role,
    n: name.slice(0, 150),
    ...(states.length > 0 ? { s: states } : {}),
    ...(value === undefined ? {} : { v: squeeze(value) }),
    ...(placeholder && placeholder !== name ? { p: placeholder.slice(0, 60) } : {}),
    ...(options.length > 0 ? { x: options } : {}),
    ...(isOffScreen(element) ? { o: 1 as const } : {}),
    ...(isUnseen(element, walk.backgrounds) && role !== 'canvas' && element.localName !== 'input' ? { h: 1 as const } : {}),
  };
}

export function container(element: Element, walk: Walk, plain: boolean): TreeNode | undefined {
  const role = plain ? '' : roleOf(element);
  const members = likeMembers(element, walk.limits.group);
  if (members) return folded(element, role, members, walk);
  const children = plain ? walkChildren(element, walk).filter(node => node.r !== 'text') : walkChildren(element, walk);
  const kept: TreeNode = { r: role, c: children };
  if (role && role !== 'row' && role !== 'cell' && role !== 'listitem' && role !== 'list' && role !== 'paragraph') {
    const name = nameOf(element, role);
    if (name) kept.n = name.slice(0, 150);
    const states = statesOf(element, role).filter(state => state !== 'focused');
    if (states.length > 0) kept.s = states;
  }
  if (role === 'heading') {
    kept.l = Number(element.getAttribute('aria-level') ?? element.localName.slice(1)) || 2;
    if (children.every(child => child.r === 'text' || child.r === '')) delete kept.c;
    if (isUnseen(element, walk.backgrounds)) kept.h = 1;
  }
  if (isOffScreen(element)) kept.o = 1;
  if (role === '' && children.length === 0) return undefined;
  const only = children[0];
  const current = element.getAttribute('aria-current');
  if (only?.r === 'text' && children.length === 1 && current && current !== 'false') only.n = `${only.n ?? ''} [current]`;
  // Text that flows on is merged with its surroundings; a block ends the sentence.
  if (role === '' && children.length === 1 && only?.r === 'text' && !isInline(element)) return { r: '', c: children };
  return role === '' && children.length === 1 && only ? (only.r === 'text' ? { ...only, n: ` ${only.n} ` } : only) : kept;
}

export function folded(element: Element, role: string, members: Element[], walk: Walk): TreeNode {
  const at = shownMembers(members, 12);
  const name = role ? nameOf(element, role) : '';
  const isTable = /^(table|grid|treegrid|rowgroup)$/.test(role) || element.localName === 'tbody';
  return {
    r: role || 'group',
    ...(name ? { n: name.slice(0, 150) } : {}),
    c: at.map(index => walkElement(members[index] as Element, walk) ?? { r: '', c: [] }),
    g: {
      count: members.length,
      what: isTable ? 'rows' : 'items',
      selector: selectorOf(members),
      at: at.map(index => index + 1),
      fields: element.querySelectorAll('input:not([type=hidden]), select, textarea').length,
      ...(isTable ? columnsOf(element.closest('table, [role=grid], [role=table]') ?? element, members) : {}),
    },
    ...(isOffScreen(element) ? { o: 1 as const } : {}),
  };
}

export function frameNode(frame: HTMLIFrameElement, walk: Walk): TreeNode | undefined {
  const name = nameOf(frame, 'iframe') || frame.name;
  const label = { r: 'iframe', n: name.slice(0, 100), p: selectorOfOne(frame), ...(isOffScreen(frame) ? { o: 1 as const } : {}) };
  let inside: HTMLElement | null | undefined;
  try {
    inside = frame.contentDocument?.body;
  } catch {
    inside = null;
  }
  if (inside) return { ...label, c: walkChildren(inside, walk) };
  walk.frames.push(frame);
  return { ...label, v: frame.src, f: walk.frames.length };
}
