import { type LoadedConfig, loadConfig } from '../config/load.ts';
import { stackSpecs } from '../config/stack.ts';
import type { FlagConfig, Io } from './verb.ts';

/** `-c`, which every verb with a configuration takes. */
export const configFlag: FlagConfig = { config: { type: 'string', short: 'c', multiple: true } };

/** The configuration that `-c` flags and `WEBWRIGHT_CONFIG` make. */
export function loadStack({ specs, io: { cwd, env, packageRoot } }: { specs: string[]; io: Io }): LoadedConfig {
  const stacked = stackSpecs({ env, call: specs }).map(spec => (spec.from === 'call' ? { ...spec, from: '-c' } : spec));
  return loadConfig({ specs: stacked, cwd, packageRoot, env });
}
