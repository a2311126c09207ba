import type { TreeGroup } from '../tree.ts';
import { squeeze } from './names.ts';
import { isSkipped } from './visibility.ts';

// These functions run inside the page. They are sent there as text, so they use nothing but each other and the DOM.

/** Members of a container when it holds more than `limit` like ones; undefined otherwise. */
export function likeMembers(element: Element, limit: number): Element[] | undefined {
  const holder = element.localName === 'table' ? (element as HTMLTableElement).tBodies[0] : element;
  if (!holder || holder.childElementCount <= limit) return undefined;
  const kinds = new Map<string, Element[]>();
  for (const child of holder.children) {
    const kind = kindOf(child);
    const same = kinds.get(kind);
    if (same) same.push(child);
    else kinds.set(kind, [child]);
  }
  const [kind, alike] = [...kinds].reduce((most, entry) => (entry[1].length > most[1].length ? entry : most));
  const count = alike.length;
  if (count <= limit || count < holder.childElementCount * 0.8) return undefined;
  // Words of a text, options of a select and the fields of a form are no list to be shortened.
  const prose = kind === 'p ' && count > limit * 10;
  if (!prose && /^(option|span|b|i|em|strong|a|br|label|input|p)$/.test(kind.split(' ')[0] ?? '') && !isListLike(element)) return undefined;
  const members = alike.filter(child => !isSkipped(child));
  const fields = holder.querySelector('input, select, textarea')
    ? members.filter(member => member.matches('label, p, div, li') && member.querySelectorAll('input, select, textarea').length === 1)
        .length
    : 0;
  return members.length > limit && fields < members.length * 0.8 ? members : undefined;
}

export function isListLike(element: Element): boolean {
  return (
    /^(ul|ol|menu|table|tbody)$/.test(element.localName) ||
    /^(list|listbox|grid|table|feed|menu|tree|rowgroup|row)$/.test(element.getAttribute('role') ?? '')
  );
}

export function kindOf(element: Element): string {
  return `${element.localName} ${element.getAttribute('role') ?? ''}`;
}

/** Places of the members that are shown: first two, last, and up to `most` whose state stands out. */
export function shownMembers(members: Element[], most: number): number[] {
  const standsOut =
    '[aria-checked=true], [aria-selected=true], [aria-pressed=true], [aria-current]:not([aria-current=false]), [aria-disabled=true], [aria-invalid=true], :checked:not(option), :disabled, :focus';
  const holder = members[0]?.parentElement;
  const places = new Map(members.map((member, index) => [member, index]));
  const shown = new Set([0, 1, members.length - 1]);
  for (const element of holder?.querySelectorAll(`${standsOut}, input, textarea`) ?? []) {
    if (shown.size >= most + 3) break;
    if (!element.matches(standsOut) && !isFilled(element as HTMLInputElement)) continue;
    let member: Element | null = element;
    while (member && member.parentElement !== holder) member = member.parentElement;
    const place = member && places.get(member);
    if (typeof place === 'number') shown.add(place);
  }
  return [...shown].sort((a, b) => a - b);
}

export function isFilled(field: HTMLInputElement): boolean {
  return !/^(checkbox|radio|hidden|submit|button|reset|image)$/.test(field.type) && field.value !== field.defaultValue;
}

/** Columns of a table and those of their values that are few. */
export function columnsOf(table: Element, members: Element[]): Pick<TreeGroup, 'columns' | 'values'> {
  const header = table.querySelector('thead tr, tr:has(th)');
  if (!header || header === members[0]) return {};
  const columns = [...header.children].map(cell => squeeze(cell.textContent ?? ''));
  const seen = columns.map(() => new Set<string>());
  let open = columns.map((_, index) => index);
  for (const member of members.slice(0, 5_000)) {
    const cells = member.children;
    open = open.filter(index => {
      seen[index]?.add(squeeze(cells[index]?.textContent ?? '').slice(0, 40));
      return (seen[index]?.size ?? 0) <= 8;
    });
    if (open.length === 0) break;
  }
  const values = open
    .filter(index => (seen[index]?.size ?? 0) > 1)
    .map(index => ({ column: columns[index] ?? '', values: [...(seen[index] ?? [])] }));
  return { columns, ...(values.length > 0 ? { values } : {}) };
}

/** A short CSS selector that matches exactly these members. */
export function selectorOf(members: Element[]): string {
  const [first] = members;
  const parent = first?.parentElement;
  if (!first || !parent) return '';
  const tag = first.localName;
  const root = first.getRootNode() as Document | ShadowRoot;
  const exact = (selector: string) => {
    try {
      return root.querySelectorAll(selector).length === members.length && first.matches(selector);
    } catch {
      return false;
    }
  };
  const classes = [...first.classList].filter(name => members.every(member => member.classList.contains(name)));
  const simple = [...classes.map(name => `${tag}.${CSS.escape(name)}`), `${parent.localName} > ${tag}`, `${parent.localName} ${tag}`].find(
    exact,
  );
  if (simple) return simple.replace('tbody > tr', 'tbody tr');
  for (let holder: Element | null = parent, path = `> ${tag}`; holder; holder = holder.parentElement) {
    const id = holder.id ? `#${CSS.escape(holder.id)}` : '';
    for (const anchor of [id, ...[...holder.classList].map(name => `.${CSS.escape(name)}`)].filter(Boolean)) {
      const selector = `${anchor} ${path}`;
      if (exact(selector)) return selector;
    }
    const nth = holder.parentElement ? `:nth-child(${[...holder.parentElement.children].indexOf(holder) + 1})` : '';
    path = `> ${holder.localName}${nth} ${path}`;
  }
  return `${parent.localName} > ${tag}`;
}

/** A CSS selector that matches this element alone. */
export function selectorOfOne(element: Element): string {
  const root = element.getRootNode() as Document | ShadowRoot;
  const tag = element.localName;
  const attribute = (name: string) =>
    element.getAttribute(name) ? `${tag}[${name}="${CSS.escape(element.getAttribute(name) ?? '')}"]` : '';
  const candidates = [element.id && `#${CSS.escape(element.id)}`, attribute('name'), attribute('title'), attribute('src'), tag].filter(
    Boolean,
  );
  return (
    candidates.find(selector => root.querySelectorAll(selector).length === 1) ??
    `${tag} >> nth=${[...root.querySelectorAll(tag)].indexOf(element)}`
  );
}
