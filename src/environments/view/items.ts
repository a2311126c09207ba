import { joinSeries } from './runs.ts';
import type { TreeNode } from './tree.ts';

/** Roles whose neighbours of the same role share one line, and the word that begins it. */
const plurals: Record<string, string> = {
  link: 'links',
  button: 'buttons',
  checkbox: 'checkboxes',
  radio: 'radios',
  tab: 'tabs',
  option: 'options',
  menuitem: 'menuitems',
  treeitem: 'treeitems',
  textbox: 'textboxes',
  clickable: 'clickables',
  img: 'imgs',
};

/** Whether a node is one item with a role, not a container and not text. */
export function isItem(node: TreeNode): boolean {
  return node.r !== '' && node.r !== 'text' && !node.c && !node.g;
}

export function pluralOf(role: string): string | undefined {
  return plurals[role];
}

/** An item without its role: `Name [disabled] = "value" (placeholder "…")`. */
export function itemText(node: TreeNode): string {
  const check = node.r === 'checkbox' || node.r === 'radio' || node.r === 'switch';
  const checked = node.s?.includes('checked');
  const box = check ? (node.s?.includes('mixed') ? '[-] ' : checked ? '[x] ' : '[ ] ') : '';
  const states = (node.s ?? []).filter(state => !check || (state !== 'checked' && state !== 'mixed'));
  const value = node.v === undefined || (node.v === '' && node.r !== 'combobox') ? '' : ` = "${short(node.v, 80)}"`;
  const placeholder = node.p && !node.v ? ` (${node.p})` : '';
  const options = node.x
    ? `, options: ${joinSeries(node.x.slice(0, 30).map(text => ({ text, plain: true }))).join(' | ')}${node.x.length > 30 ? ` | … ${node.x.length - 30} more` : ''}`
    : '';
  return `${box}${short(node.n ?? '', 120)}${states.length > 0 ? ` [${states.join(', ')}]` : ''}${value}${placeholder}${options}${node.h ? ' [invisible]' : ''}`;
}

/** Whether nothing but the name is to be said about the item. */
export function isPlain(node: TreeNode): boolean {
  return (
    itemText(node) === (node.n ?? '') ||
    (node.r === 'checkbox' && itemText(node) === `[ ] ${node.n}`) ||
    (node.r === 'radio' && itemText(node) === `[ ] ${node.n}`)
  );
}

/** An item with its role, as it stands alone in a line or in a row: `button "Save" [disabled]`. */
export function namedItem(node: TreeNode): string {
  if (node.r === 'text') return `${short(node.n ?? '', 300)}${node.h ? ' [invisible]' : ''}`;
  if (node.r === 'iframe') return `iframe${node.n ? ` "${node.n}"` : ''} (page.frameLocator('${node.p ?? 'iframe'}'))`;
  const { p: hint, ...bare } = node;
  const placeholder = hint && !node.v ? ` (placeholder "${hint}")` : '';
  const rest = `${itemText({ ...bare, n: '' }).trim()}${placeholder}`.trim();
  const role = node.r === 'heading' ? `h${node.l}` : node.r;
  const note =
    node.r === 'canvas'
      ? '(a picture; see the screenshot)'
      : node.r === 'custom element'
        ? '(its content cannot be read; see the screenshot)'
        : '';
  return [role, node.n ? `"${short(node.n, 120)}"` : '', rest, note].filter(Boolean).join(' ').replace(' , options', ', options');
}

/** Text of at most `chars` characters, cut between words where that costs little. */
export function short(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const space = text.lastIndexOf(' ', chars);
  return `${text.slice(0, space > chars * 0.6 ? space : chars).toWellFormed()}…`;
}
