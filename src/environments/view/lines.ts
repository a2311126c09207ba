import { isItem, isPlain, itemText, namedItem, pluralOf, short } from './items.ts';
import { leavesOf, rowsOf, shapeOf } from './rows.ts';
import { joinSeries } from './runs.ts';
import type { PageTree, TreeGroup, TreeNode } from './tree.ts';

/** A line of the view. Lines of several items keep them apart, so that a change of one of them is told as such. */
export interface Line {
  depth: number;
  text: string;
  items?: string[];
}

/** How much is told; a smaller view is made by asking again with less. */
export interface Detail {
  /** Characters kept of text that is off screen; null: every text is cut alike, wherever it is, so that scrolling changes nothing. */
  offScreenChars: number | null;
  /** Rows of like siblings. */
  rows: number;
  /** Items in one line. */
  items: number;
}

const landmarks = new Set(['banner', 'navigation', 'complementary', 'contentinfo']);

/** A line as it is shown. */
export function lineText({ depth, text, items }: Line): string {
  return `${' '.repeat(depth)}${text}${items ? ` ${items.join(' | ')}` : ''}`;
}

/** The view of a page as lines: an open modal dialog first, then the main region, then the rest in the order of the page. */
export function linesOf(tree: PageTree, detail: Detail): { lines: Line[]; cut: number } {
  const state = { detail, lines: [] as Line[], cut: 0 };
  const top = flatten((detail.offScreenChars === null ? withoutFocus(tree.root) : tree.root).c ?? []);
  const rank = (node: TreeNode) => (node.s?.includes('modal') ? 0 : landmarks.has(node.r) ? 2 : 1);
  const ranked = top.some(node => node.r === 'main' || rank(node) === 0)
    ? [0, 1, 2].flatMap(wanted => top.filter(node => rank(node) === wanted))
    : top;
  siblings(ranked, 0, state);
  return { lines: state.lines, cut: state.cut };
}

/** Whoever clicked knows where the focus is; a change of it alone is no news. */
function withoutFocus(node: TreeNode): TreeNode {
  const { s, c, ...rest } = node;
  const states = s?.filter(state => state !== 'focused') ?? [];
  return { ...rest, ...(states.length > 0 ? { s: states } : {}), ...(c ? { c: c.map(withoutFocus) } : {}) };
}

interface State {
  detail: Detail;
  lines: Line[];
  cut: number;
}

/** Containers without meaning are looked through, unless their siblings have the same shape. */
function flatten(nodes: readonly TreeNode[]): TreeNode[] {
  const flat: TreeNode[] = [];
  for (let at = 0; at < nodes.length; ) {
    const node = nodes[at] as TreeNode;
    const run = likeRun(nodes, at);
    if (run > 0) {
      flat.push(...nodes.slice(at, at + run));
      at += run;
      continue;
    }
    if (isTransparent(node) && !isSentence(node) && !isRow(node)) flat.push(...flatten(node.c ?? []));
    else flat.push(node);
    at += 1;
  }
  return flat;
}

function isTransparent(node: TreeNode): boolean {
  return (
    !node.g &&
    !node.n &&
    /^(|list|listitem|paragraph|rowgroup|group|row|cell|presentation|strong|emphasis)$/.test(node.r) &&
    node.c !== undefined
  );
}

/** A row of a table too small to be folded: its cells belong together. */
function isRow(node: TreeNode): boolean {
  return node.r === 'row' && !node.g && leavesOf(node).length >= 2 && leavesOf(node).length <= 12;
}

/** A few words with links or fields between them: they are read as one line. */
function isSentence(node: TreeNode): boolean {
  const parts = node.c ?? [];
  const texts = parts.filter(part => part.r === 'text').length;
  return (
    isTransparent(node) && parts.length <= 8 && texts > 0 && texts < parts.length && parts.every(part => part.r === 'text' || isItem(part))
  );
}

/** Number of siblings from `at` on that share a shape of two items or more; 0 when they are fewer than three. */
function likeRun(nodes: readonly TreeNode[], at: number): number {
  const node = nodes[at] as TreeNode;
  if (isItem(node) || node.r === 'text' || node.g || leavesOf(node).length < 2 || leavesOf(node).length > 12) return 0;
  const shape = shapeOf(node);
  let length = 1;
  while (at + length < nodes.length && shapeOf(nodes[at + length] as TreeNode) === shape) length += 1;
  return length >= 3 ? length : 0;
}

function siblings(nodes: readonly TreeNode[], depth: number, state: State): void {
  const flat = flatten(nodes);
  for (let at = 0; at < flat.length; ) {
    const node = flat[at] as TreeNode;
    const like = likeRun(flat, at);
    if (like > 0) {
      rows(flat.slice(at, at + like), depth, state);
      at += like;
      continue;
    }
    let length = 1;
    while (pluralOf(node.r) && isItem(node) && flat[at + length]?.r === node.r && isItem(flat[at + length] as TreeNode)) length += 1;
    if (length > 1) run(flat.slice(at, at + length), depth, state);
    else single(node, depth, state);
    at += length;
  }
}

function run(nodes: TreeNode[], depth: number, state: State): void {
  const items = joinSeries(nodes.map(node => ({ text: itemText(node) || '(no name)', plain: isPlain(node) })));
  const shown = items.slice(0, state.detail.items);
  if (items.length > shown.length) shown.push(`… ${items.length - shown.length} more`);
  const page = currentPage(nodes);
  const placeholders = nodes.some(node => node.p && !node.v) ? ' (placeholder)' : '';
  state.lines.push({ depth, text: `${pluralOf(nodes[0]?.r ?? '')}${placeholders}:`, items: shown });
  if (page) state.lines.push({ depth, text: page });
}

function rows(nodes: TreeNode[], depth: number, state: State): void {
  const shown = nodes.slice(0, state.detail.rows);
  const { header, rows: texts, cut, deviates } = rowsOf({ nodes: shown, offScreenChars: state.detail.offScreenChars });
  state.cut += cut;
  const role = nodes[0]?.r ?? '';
  state.lines.push({ depth, text: `${nodes.length} × ${role || 'item'}, each${deviates ? ' unless it says otherwise' : ''}: ${header}` });
  for (const text of texts) if (text) state.lines.push({ depth: depth + 1, text });
  if (nodes.length > shown.length) state.lines.push({ depth: depth + 1, text: `… ${nodes.length - shown.length} more` });
}

function single(node: TreeNode, depth: number, state: State): void {
  if (node.r === 'text') {
    const limit = textLimit(node, state.detail);
    const text = node.n ?? '';
    state.cut += Math.max(0, text.length - limit);
    state.lines.push({ depth, text: `${short(text, limit)}${node.h ? ' [invisible]' : ''}` });
    return;
  }
  if (isRow(node)) {
    const cells = leavesOf(node).map(part => (part.r === 'text' ? short(part.n ?? '', textLimit(part, state.detail)) : namedItem(part)));
    state.lines.push({ depth, text: `row: ${cells.join(' | ')}` });
    return;
  }
  if (isSentence(node)) {
    const words = (node.c ?? []).map(part => (part.r === 'text' ? short(part.n ?? '', textLimit(part, state.detail)) : namedItem(part)));
    state.lines.push({ depth, text: words.join(' ') });
    return;
  }
  if (isItem(node)) {
    state.lines.push({ depth, text: namedItem(node) });
    return;
  }
  if (node.g) {
    group(node, node.g, depth, state);
    return;
  }
  const inner = leavesOf(node);
  const only = inner[0];
  if (node.r === 'heading' && inner.length === 1 && only) {
    state.lines.push({ depth, text: `h${node.l}: ${namedItem(only)}` });
    return;
  }
  const label = namedItem({
    r: node.r,
    ...(node.n ? { n: node.n } : {}),
    ...(node.p ? { p: node.p } : {}),
    ...(node.s ? { s: node.s } : {}),
    ...(node.l ? { l: node.l } : {}),
  });
  const at = state.lines.length;
  siblings(node.c ?? [], depth + 1, state);
  const added = state.lines.slice(at);
  if (added.length === 0 && !node.n) return;
  const [first] = added;
  // A container with one line of content takes no line of its own.
  if (added.length === 1 && first) state.lines.splice(at, 1, { ...first, depth, text: `${label}: ${first.text}` });
  else state.lines.splice(at, 0, { depth, text: label });
}

function textLimit(node: TreeNode, { offScreenChars }: Detail): number {
  if (offScreenChars === null) return 200;
  return node.o ? Math.max(offScreenChars, 60) : 400;
}

/** More than 30 like members: what they are, the first, the last and those that stand out, and how to reach the others. */
function group(node: TreeNode, info: TreeGroup, depth: number, state: State): void {
  const name = node.n ? ` "${short(node.n, 80)}"` : '';
  const columns = info.columns ? `: ${info.columns.join(' | ')}` : '';
  state.lines.push({ depth, text: `${node.r}${name}, ${info.count} ${info.what}${columns}` });
  for (const [index, member] of (node.c ?? []).entries()) {
    const cells = info.columns ? (member.c ?? []).map(cell => inlineText(cell)) : leavesOf(member).map(namedItem);
    state.lines.push({
      depth: depth + 1,
      text: `${info.at[index]}. ${short(cells.join(' | '), 300)}${member.s ? ` [${member.s.join(', ')}]` : ''}`,
    });
  }
  for (const { column, values } of info.values ?? []) state.lines.push({ depth: depth + 1, text: `${column}: ${values.join(', ')}` });
  const fields = info.fields > 0 ? ` ${info.fields} fields inside.` : '';
  state.lines.push({ depth: depth + 1, text: `${info.count - info.at.length} more: page.locator(${quote(info.selector)})${fields}` });
}

function inlineText(node: TreeNode): string {
  return leavesOf(node)
    .map(leaf => (leaf.r === 'text' ? short(leaf.n ?? '', 100) : namedItem(leaf)))
    .join(' ');
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "\\'")}'`;
}

/** Which page of how many is shown, when a line of links or buttons counts pages. */
function currentPage(nodes: TreeNode[]): string | undefined {
  const numbers = nodes.map(node => Number(/^(?:page )?(\d+)$/i.exec(node.n ?? '')?.[1] ?? Number.NaN));
  const current = nodes.findIndex(
    (node, index) =>
      !Number.isNaN(numbers[index]) && node.s?.some(state => state === 'current' || state === 'selected' || state === 'disabled'),
  );
  const known = numbers.filter(number => !Number.isNaN(number));
  return current >= 0 && known.length >= 3 ? `(page ${numbers[current]} of ${Math.max(...known)} is shown)` : undefined;
}
