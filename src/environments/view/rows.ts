import { isItem, itemText, namedItem, short } from './items.ts';
import { seriesLength } from './runs.ts';
import type { TreeNode } from './tree.ts';

const shapes = new WeakMap<TreeNode, string>();
const leaves = new WeakMap<TreeNode, TreeNode[]>();

/** Roles and order of everything inside a node: nodes with the same shape can share one header. */
export function shapeOf(node: TreeNode): string {
  if (isItem(node) || node.r === 'text') return node.r;
  const known = shapes.get(node);
  if (known !== undefined) return known;
  const shape = `${node.r}(${(node.c ?? []).map(shapeOf).join(',')})`;
  shapes.set(node, shape);
  return shape;
}

/** The items inside a node in order; containers without meaning are looked through. Asked for again and again while a view is made. */
export function leavesOf(node: TreeNode): TreeNode[] {
  if (isItem(node) || node.r === 'text') return [node];
  const known = leaves.get(node);
  if (known) return known;
  const inside = (node.c ?? []).flatMap(leavesOf);
  leaves.set(node, inside);
  return inside;
}

/** What a column has in common: one text for all rows (few may deviate), a series of numbered names, or nothing but the role. */
type Column = { head: string; common: string | null; series: boolean };

/**
 * Siblings of one shape as a small table: what nearly all have in common stands in the header, a row holds what differs. Off
 * screen, text is cut short; names of links, buttons and fields never are.
 *
 * @example
 * // 24 × article, each: link | text | button "Add to cart"
 * //  Blue kettle | £24.90
 * //  Red kettle | £19.00 | button "Add to cart" [disabled]
 */
export function rowsOf({ nodes, offScreenChars }: { nodes: readonly TreeNode[]; offScreenChars: number | null }): {
  header: string;
  rows: string[];
  cut: number;
  /** Some row has its own text where the header tells a common one. */
  deviates: boolean;
} {
  const table = nodes.map(leavesOf);
  const columns = (table[0] ?? []).map((_, slot) => columnOf(table.map(row => row[slot] as TreeNode)));
  // The first column that differs names the rows: a series there is written out.
  const naming = columns.findIndex(column => column.common === null);
  if (naming >= 0) columns[naming] = { head: headOf(table[0]?.[naming] as TreeNode), common: null, series: false };
  let cut = 0;
  let deviates = false;
  const rows = table.map(row =>
    row
      .flatMap((node, slot) => {
        const { common, series } = columns[slot] as Column;
        if (common !== null) {
          const same = namedItem(node) === common;
          if (!same) deviates = true;
          return same ? [] : [namedItem(node)];
        }
        if (series) return (node.s ?? []).length > 0 ? [namedItem(node)] : [];
        if (node.r !== 'text') return [itemText(node) || '(no name)'];
        const limit = node.o && offScreenChars !== null ? offScreenChars : 200;
        cut += Math.max(0, (node.n ?? '').length - limit);
        return [short(node.n ?? '', limit)];
      })
      .join(' | '),
  );
  return { header: columns.map(({ head }) => head).join(' | '), rows, cut, deviates };
}

function columnOf(nodes: TreeNode[]): Column {
  const [first] = nodes as [TreeNode];
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(namedItem(node), (counts.get(namedItem(node)) ?? 0) + 1);
  const [common, count] = [...counts].reduce((most, entry) => (entry[1] > most[1] ? entry : most));
  if (count >= nodes.length * 0.8) return { head: first.r === 'text' ? `"${short(common, 80)}"` : common, common, series: false };
  const names = nodes.map(node => ({ text: node.n ?? '', plain: true }));
  if (first.r !== 'text' && nodes.every(node => node.v === undefined) && seriesLength(names, 0) === nodes.length) {
    return { head: `${first.r} "${first.n}" … "${nodes.at(-1)?.n}"`, common: null, series: true };
  }
  return { head: headOf(first), common: null, series: false };
}

function headOf(node: TreeNode): string {
  return node.r === 'heading' ? `h${node.l}` : node.r;
}
