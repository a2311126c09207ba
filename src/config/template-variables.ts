import nunjucks from 'nunjucks';

/** A node of nunjucks' syntax tree, as far as we look into it. */
interface Node {
  typename: string;
  fields: string[];
  lineno: number;
  children?: Node[];
  [field: string]: unknown;
}

/** A variable that a template reads: `obs.url` is the path ['obs', 'url']. */
export interface VariableRead {
  path: string[];
  /** Counted from 1. */
  line: number;
}

const parse = (nunjucks as unknown as { parser: { parse(template: string): Node } }).parser.parse;
/** What nunjucks itself provides. */
const provided = new Set(['loop', 'range', 'cycler', 'joiner', 'caller', 'true', 'false', 'none', 'null']);

/**
 * Every variable a template needs from outside. Left out are names it binds itself (`for`, `set`, `macro`) and those it
 * asks about first (`is defined`, `| default(…)`). nunjucks alone notices a missing variable only where it is printed, not
 * in `{% if typo %}`.
 *
 * @throws Error with nunjucks' message when the template cannot be parsed.
 */
export function variablesOf(template: string): VariableRead[] {
  const found: Found = { reads: [], bound: new Set(provided), asked: new Set() };
  walk(parse(template), found);
  return found.reads.filter(
    ({ path }) => !found.bound.has(path[0]!) && !path.some((_, n) => found.asked.has(path.slice(0, n + 1).join('.'))),
  );
}

interface Found {
  reads: VariableRead[];
  bound: Set<string>;
  /** Paths, with dots. */
  asked: Set<string>;
}

function walk(node: Node, found: Found): void {
  const path = pathOf(node);
  if (path) {
    found.reads.push({ path, line: node.lineno + 1 });
    return;
  }
  const asked = askedAbout(node);
  if (asked) found.asked.add(asked.join('.'));
  if (node.typename === 'For' || node.typename === 'AsyncEach' || node.typename === 'AsyncAll') bind(node['name'], found.bound);
  if (node.typename === 'Set') bind(node['targets'], found.bound);
  if (node.typename === 'Macro') bind([node['name'], node['args']], found.bound);
  for (const child of operandsOf(node)) walk(child, found);
}

/** The parts of a node that are read: names of filters, tests and keyword arguments are not variables. */
function operandsOf(node: Node): Node[] {
  if (node.typename === 'Filter' || node.typename === 'FilterAsync') return [node['args'] as Node];
  if (node.typename === 'Is') return [node['left'] as Node];
  if (node.typename === 'Pair' && nameOf(node['key'])) return [node['value'] as Node];
  return childrenOf(node);
}

function askedAbout(node: Node): string[] | null {
  if (node.typename === 'Is' && ['defined', 'undefined'].includes(nameOf(node['right']) ?? '')) return pathOf(node['left'] as Node);
  const value = node.typename === 'Filter' && nameOf(node['name']) === 'default' && (node['args'] as Node).children?.[0];
  return value ? pathOf(value) : null;
}

function childrenOf(node: Node): Node[] {
  const values = [...(node.children ?? []), ...node.fields.filter(field => field !== 'children').map(field => node[field])];
  return values.flat().filter(isNode);
}

/** `obs.url` and `obs["url"]` as a path; null for keys that are computed or numbers. */
function pathOf(node: Node): string[] | null {
  if (node.typename === 'Symbol') return [String(node['value'])];
  if (node.typename !== 'LookupVal') return null;
  const key = node['val'] as Node;
  const target = pathOf(node['target'] as Node);
  return target && typeof key['value'] === 'string' && key.typename === 'Literal' ? [...target, key['value']] : null;
}

function bind(target: unknown, bound: Set<string>): void {
  if (Array.isArray(target)) for (const one of target) bind(one, bound);
  else if (isNode(target)) {
    const name = nameOf(target);
    if (name) bound.add(name);
    else for (const child of childrenOf(target)) bind(child, bound);
  }
}

function nameOf(node: unknown): string | undefined {
  return isNode(node) && node.typename === 'Symbol' ? String(node['value']) : undefined;
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && typeof (value as Node).typename === 'string';
}
