import { isAbsolute, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { WebwrightError } from '../core/errors.ts';

/** True for `./my-env.ts#MyEnv` and `my-package#MyEnv`, as opposed to a shipped name. */
export function isModuleSpec(name: string): boolean {
  return name.includes('#');
}

/**
 * Makes what `agent_class`, `environment_class` or `model_class` names: imports the module and calls its export with `context`,
 * with `new` when it is a class. Relative paths start at `root`.
 *
 * @throws WebwrightError CONFIG_INVALID when the module cannot be imported or has no such function or class.
 * @example
 * const environment = await makeFromModule<Environment>({ key: 'environment.environment_class', spec: './my-env.ts#MyEnv', root, context });
 */
export async function makeFromModule<Made>({
  key,
  spec,
  root,
  context,
}: {
  /** Config key, for errors. */
  key: string;
  spec: string;
  root: string;
  context: unknown;
}): Promise<Made> {
  const [path = '', name = ''] = spec.split('#');
  const isPath = path.startsWith('.') || isAbsolute(path);
  const fail = (what: string, remedy: string) =>
    new WebwrightError({ code: 'CONFIG_INVALID', what: `${key}: ${what}`, seen: spec, remedy });
  let module: Record<string, unknown>;
  try {
    module = await import(isPath ? pathToFileURL(resolve(root, path)).href : path);
  } catch (error) {
    throw fail(`the module cannot be imported: ${(error as Error).message.split('\n')[0]}`, `the path is relative to ${root}`);
  }
  const made = module[name];
  if (typeof made !== 'function')
    throw fail(`the module has no function or class "${name}"`, `it exports: ${Object.keys(module).join(', ') || 'nothing'}`);
  return isClass(made) ? Reflect.construct(made, [context]) : await made(context);
}

function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value));
}
