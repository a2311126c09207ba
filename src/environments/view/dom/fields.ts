import { nameOf, squeeze } from './names.ts';
import { roleOf } from './roles.ts';
import { fieldValueOf, statesOf } from './states.ts';
import { isInvisible, isSkipped } from './visibility.ts';

// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

/** A field of a form as it stands. */
export interface SeenField {
  role: string;
  name: string;
  /** Of a text field or a list; passwords come masked. */
  value?: string;
  /** Of what can be checked. */
  checked?: boolean | 'mixed';
}

/** Title, the beginning of the visible text, and the fields of a document. */
export function readDocument(limits: { nodes: number; fields: number; text: number }): {
  title: string;
  text: string;
  fields: SeenField[];
} {
  return { title: document.title, text: (document.body?.innerText ?? '').slice(0, limits.text), fields: listFields(limits) };
}

/** Visible fields in the order of the page, shadow roots and frames of the same site included. */
export function listFields(limits: { nodes: number; fields: number }): SeenField[] {
  const fields: SeenField[] = [];
  let left = limits.nodes;
  const visit = (root: Document | ShadowRoot) => {
    for (const element of root.querySelectorAll('*')) {
      left -= 1;
      if (left < 0 || fields.length >= limits.fields) return;
      const inside = element.shadowRoot ?? frameDocument(element);
      if (inside) visit(inside);
      const field = fieldOf(element);
      if (field) fields.push(field);
    }
  };
  visit(document);
  return fields;
}

export function frameDocument(element: Element): Document | null {
  return element.localName === 'iframe' ? (element as HTMLIFrameElement).contentDocument : null;
}

export function fieldOf(element: Element): SeenField | undefined {
  if (!element.matches('input, select, textarea, [role], [contenteditable]')) return undefined;
  const role = roleOf(element) || (element.getAttribute('contenteditable') === 'true' ? 'textbox' : '');
  const checkable = /^(checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(role);
  const isFile = element.matches('input[type=file]');
  if (!checkable && !isFile && !/^(textbox|searchbox|combobox|listbox|spinbutton|slider)$/.test(role)) return undefined;
  if (isSkipped(element) || isInvisible(element)) return undefined;
  const name = nameOf(element, role).slice(0, 80);
  if (checkable) {
    const states = statesOf(element, role);
    return { role, name, checked: states.includes('mixed') ? 'mixed' : states.includes('checked') };
  }
  const value = squeeze(fieldValueOf(element, role) ?? element.textContent ?? '').slice(0, 200);
  return { role: isFile ? 'file' : role, name, value };
}
