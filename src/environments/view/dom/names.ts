import { isSkipped } from './visibility.ts';

// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

/** Accessible name, computed like Playwright's getByRole does for what pages usually contain. */
export function nameOf(element: Element, role: string): string {
  const labelledBy = (element.getAttribute('aria-labelledby') ?? '').split(/\s+/).filter(Boolean);
  if (labelledBy.length > 0) {
    const root = element.getRootNode() as Document | ShadowRoot;
    const name = squeeze(labelledBy.map(id => textWithin(root.getElementById(id))).join(' '));
    if (name) return name;
  }
  const label = squeeze(element.getAttribute('aria-label') ?? '');
  if (label) return label;
  const native = squeeze(nativeName(element));
  if (native) return native;
  if (namedByContent(role)) {
    const name = squeeze(textWithin(element));
    if (name) return name;
  }
  return squeeze(element.getAttribute('title') ?? '') || squeeze(element.getAttribute('placeholder') ?? '');
}

export function nativeName(element: Element): string {
  const labels = (element as HTMLInputElement).labels;
  if (labels && labels.length > 0) {
    const name = [...labels].map(label => textWithin(label, element)).join(' ');
    if (squeeze(name)) return name;
  }
  switch (element.localName) {
    case 'input': {
      const { type, value } = element as HTMLInputElement;
      if (type === 'submit' || type === 'reset') return value || (type === 'submit' ? 'Submit' : 'Reset');
      if (type === 'button') return value;
      if (type === 'image') return element.getAttribute('alt') ?? 'Submit';
      return type === 'file' ? 'Choose File' : '';
    }
    case 'img':
    case 'area':
      return element.getAttribute('alt') ?? '';
    case 'fieldset':
      return textWithin(element.querySelector(':scope > legend'));
    case 'table':
      return textWithin(element.querySelector(':scope > caption'));
    case 'figure':
      return textWithin(element.querySelector(':scope > figcaption'));
    case 'svg':
      return element.querySelector(':scope > title')?.textContent ?? '';
    default:
      return '';
  }
}

export function namedByContent(role: string): boolean {
  return /^(button|cell|checkbox|columnheader|gridcell|heading|link|menuitem|menuitemcheckbox|menuitemradio|option|radio|row|rowheader|switch|tab|tooltip|treeitem|summary|clickable)$/.test(
    role,
  );
}

/** Text of an element as its name counts it: labels and alternatives stand for what they describe. */
export function textWithin(node: Node | null, except?: Element): string {
  if (!node || node === except) return '';
  if (node.nodeType === 3) return node.nodeValue ?? '';
  if (node.nodeType !== 1) return '';
  const element = node as Element;
  if (isSkipped(element)) return '';
  const label = element.getAttribute('aria-label');
  if (label?.trim()) return ` ${label} `;
  const tag = element.localName;
  if (tag === 'img') return ` ${element.getAttribute('alt') ?? ''} `;
  if (tag === 'svg') return ` ${element.querySelector(':scope > title')?.textContent ?? ''} `;
  if (tag === 'br') return ' ';
  if (tag === 'input' || tag === 'textarea')
    return (element as HTMLInputElement).type === 'password' ? '' : ` ${(element as HTMLInputElement).value} `;
  if (tag === 'select') return ` ${[...(element as HTMLSelectElement).selectedOptions].map(option => option.label).join(' ')} `;
  const text = childrenOf(element)
    .map(child => textWithin(child, except))
    .join('');
  return isInline(element) ? text : ` ${text} `;
}

/** Children as they are rendered: through open shadow roots and slots. */
export function childrenOf(element: Element): Node[] {
  if (element.shadowRoot) return [...element.shadowRoot.childNodes];
  if (element.localName === 'slot') {
    const assigned = (element as HTMLSlotElement).assignedNodes();
    if (assigned.length > 0) return assigned;
  }
  return [...element.childNodes];
}

export function isInline(element: Element): boolean {
  return /^(inline|contents)$/.test(getComputedStyle(element).display);
}

export function squeeze(text: string): string {
  return text.replace(/[\s\u00A0]+/g, ' ').trim();
}
