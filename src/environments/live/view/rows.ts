import { isItem, itemText, namedItem, short } from './items.ts';
import { seriesLength } from './runs.ts';
import type { TreeNode } from './tree.ts';

/** Roles and order of everything inside a node: nodes with the same shape can share one header. */
export function shapeOf(node: TreeNode): string {
  if (isItem(node) || node.r === 'text') return node.r;
  return `${node.r}(${(node.c ?? []).map(shapeOf).join(',')})`;
}

/** The items inside a node in order; containers without meaning are looked through. */
export function leavesOf(node: TreeNode): TreeNode[] {
  if (isItem(node) || node.r === 'text') return [node];
  return (node.c ?? []).flatMap(leavesOf);
}

/**
 * Siblings of one shape as a small table: what is the same in all of them stands in the header, a row holds what differs. Off
 * screen, text is cut short; names of links, buttons and fields never are.
 *
 * @example
 * // 24 × article, each: link | text | button "Add to cart"
 * //  Blue kettle | £24.90
 */
export function rowsOf({ nodes, offScreenChars }: { nodes: readonly TreeNode[]; offScreenChars: number }): {
  header: string;
  rows: string[];
  cut: number;
} {
  const table = nodes.map(leavesOf);
  const slots = table[0]?.map((_, slot) => table.map(row => row[slot] as TreeNode)) ?? [];
  const header: string[] = [];
  const varying: number[] = [];
  for (const [slot, column] of slots.entries()) {
    const first = column[0] as TreeNode;
    const same = column.every(node => namedItem(node) === namedItem(first));
    const items = column.map(node => ({ text: node.n ?? '', plain: itemText(node) === (node.n ?? '') }));
    if (same) header.push(first.r === 'text' ? `"${short(first.n ?? '', 80)}"` : namedItem(first));
    else if (varying.length > 0 && first.r !== 'text' && seriesLength(items, 0) === items.length) {
      header.push(`${first.r} "${first.n}" … "${column.at(-1)?.n}"`);
    } else {
      header.push(first.r === 'heading' ? `h${first.l}` : first.r);
      varying.push(slot);
    }
  }
  let cut = 0;
  const rows = table.map(row => {
    const cells = varying.map(slot => {
      const node = row[slot] as TreeNode;
      if (node.r !== 'text') return itemText(node) || '(no name)';
      const text = node.n ?? '';
      const limit = node.o ? offScreenChars : 200;
      cut += Math.max(0, text.length - limit);
      return short(text, limit);
    });
    return cells.join(' | ');
  });
  return { header: header.join(' | '), rows, cut };
}
