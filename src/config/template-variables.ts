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
 * Every variable a template reads from outside: names it binds itself (`for`, `set`, `macro`) and names it only asks
 * about (`is defined`, `| default(…)`) are left out. nunjucks alone notices a missing variable only where it is printed,
 * not in `{% if typo %}`.
 *
 * @throws Error with nunjucks' message when the template cannot be parsed.
 */
export function variablesOf(template: string): VariableRead[] {
  const reads: VariableRead[] = [];
  const bound = new Set(provided);
  walk(parse(template), reads, bound);
  return reads.filter(({ path }) => !bound.has(path[0]!));
}

function walk(node: Node, reads: VariableRead[], bound: Set<string>): void {
  const path = pathOf(node);
  if (path) {
    reads.push({ path, line: node.lineno + 1 });
    return;
  }
  if (node.typename === 'Filter' || node.typename === 'FilterAsync') {
    const args = (node['args'] as Node).children ?? [];
    const optional = nameOf(node['name']) === 'default';
    for (const arg of optional ? args.slice(1) : args) walk(arg, reads, bound);
    return;
  }
  if (node.typename === 'Is') {
    const test = node['right'] as Node;
    const asks = ['defined', 'undefined'].includes(nameOf(test) ?? '');
    if (!asks) walk(node['left'] as Node, reads, bound);
    return;
  }
  if (node.typename === 'Pair' && nameOf(node['key'])) {
    walk(node['value'] as Node, reads, bound);
    return;
  }
  if (node.typename === 'For' || node.typename === 'AsyncEach' || node.typename === 'AsyncAll') bind(node['name'], bound);
  if (node.typename === 'Set') bind(node['targets'], bound);
  if (node.typename === 'Macro') {
    bind(node['name'], bound);
    bind(node['args'], bound);
  }
  for (const child of childrenOf(node)) walk(child, reads, bound);
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
