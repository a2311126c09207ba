/**
 * What the page script returns: a cut-down accessibility tree. Short keys, because it crosses a process border at every step.
 */
export interface TreeNode {
  /** Role; empty for a container without meaning of its own; `text` for text. */
  r: string;
  /** Accessible name, or the text itself. */
  n?: string;
  /** States that stand out: checked, disabled, expanded, current, focused, … */
  s?: string[];
  /** Value of a field; passwords come masked. */
  v?: string;
  /** Placeholder of a field. */
  p?: string;
  /** Level of a heading. */
  l?: number;
  /** Options of a select. */
  x?: string[];
  /** Outside the viewport. */
  o?: 1;
  /** Invisible to people although assistive technology, and so a model, reads it. */
  h?: 1;
  c?: TreeNode[];
  /** A group of more than 30 like members, of which `c` holds the first, the last and those that stand out. */
  g?: TreeGroup;
  /** Index of an iframe whose content the script could not enter. */
  f?: number;
}

export interface TreeGroup {
  count: number;
  /** `rows`, `items`, `options` … */
  what: string;
  /** CSS selector that matches exactly the members. */
  selector: string;
  /** Place of each member in `c`, from 1. */
  at: number[];
  /** Headers of a table's columns. */
  columns?: string[];
  /** Columns with few different values. */
  values?: { column: string; values: string[] }[];
  /** Form fields inside the members. */
  fields: number;
}

/** A page as the script saw it. */
export interface PageTree {
  root: TreeNode;
  title: string;
  /** Elements in the document. */
  nodes: number;
  /** The walk was ended by its limit of time or nodes. */
  partial: boolean;
  online: boolean;
  /** The document is still being parsed. */
  loading: boolean;
  /** A part of the page is marked as not up to date yet (`aria-busy`). */
  busy: boolean;
  timeZone: string;
  language: string;
  /** Milliseconds since 1970 by the page's clock. */
  now: number;
  /** Height of the viewport, of the whole page, and how far it is scrolled, in CSS pixels. */
  viewport: [height: number, pageHeight: number, scrolled: number];
}
