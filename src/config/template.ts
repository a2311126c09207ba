import nunjucks from 'nunjucks';
import { WebwrightError } from '../core/errors.ts';
import { didYouMean } from './did-you-mean.ts';
import { type VariableRead, variablesOf } from './template-variables.ts';

// trimBlocks and lstripBlocks: a line that holds only a tag leaves no blank line in a prompt.
const environment = new nunjucks.Environment(null, { autoescape: false, throwOnUndefined: true, trimBlocks: true, lstripBlocks: true });

/**
 * Renders a prompt template (nunjucks). A variable that does not exist is an error wherever it is read, so that no prompt
 * is ever sent with a hole in it; to ask whether there is one, use `{% if name is defined %}`. One trailing newline is
 * dropped, as YAML block text ends with one.
 *
 * @throws WebwrightError CONFIG_INVALID, naming the template and the variable.
 * @example
 * renderTemplate({ name: 'agent.system_template', template: 'Open {{ url }}.\n', vars: { url: 'http://shop.localhost/' } });
 */
export function renderTemplate({ name, template, vars }: { name: string; template: string; vars: Record<string, unknown> }): string {
  const { needs, compiled } = readable(name, () => prepared(template));
  const missing = needs.find(read => !exists(read.path, vars));
  if (missing) throw undefinedVariable({ name, read: missing, vars });
  return readable(name, () => compiled.render(vars)).replace(/\r?\n$/, '');
}

interface Prepared {
  needs: VariableRead[];
  compiled: nunjucks.Template;
}

/** The observation template is rendered at every step; parsing it takes longer than rendering. */
const cache = new Map<string, Prepared>();
const cacheSize = 50;

function prepared(template: string): Prepared {
  const known = cache.get(template);
  if (known) return known;
  const fresh = { needs: variablesOf(template), compiled: new nunjucks.Template(template, environment, undefined, true) };
  if (cache.size >= cacheSize) cache.clear();
  cache.set(template, fresh);
  return fresh;
}

function readable<T>(name: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: `The template ${name} cannot be rendered`,
      seen: (error instanceof Error ? error.message : String(error)).replace(/^\(unknown path\)\s*/, '').replaceAll('\n', ' '),
      remedy: 'check the template against the table of template variables in docs/configuration.md',
    });
  }
}

function exists(path: string[], vars: Record<string, unknown>): boolean {
  let value: unknown = vars;
  for (const key of path) {
    if (value === null || value === undefined) return false;
    value = (value as Record<string, unknown>)[key];
  }
  return value !== undefined;
}

function undefinedVariable({ name, read, vars }: { name: string; read: VariableRead; vars: Record<string, unknown> }): WebwrightError {
  const variable = read.path.join('.');
  const parent = read.path.slice(0, -1).reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], vars);
  const names = parent && typeof parent === 'object' ? Object.keys(parent) : Object.keys(vars);
  const prefix = parent && parent !== vars ? read.path.slice(0, -1).join('.').concat('.') : '';
  const near = didYouMean(read.path.at(-1)!, names);
  return new WebwrightError({
    code: 'CONFIG_INVALID',
    what: `The template ${name} uses ${variable}, which is not defined`,
    seen: `line ${read.line}: {{ ${variable} }}`,
    remedy: near ? `did you mean ${prefix}${near}?` : `available here: ${names.map(key => prefix + key).join(', ') || 'nothing'}`,
  });
}
