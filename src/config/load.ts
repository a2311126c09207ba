import { join, resolve } from 'node:path';
import { createRedactor, type Secret } from '../core/redact.ts';
import { digestOf } from './canonical.ts';
import { mergeTrees, type Tree } from './merge.ts';
import type { Config } from './schema/index.ts';
import { validateConfig } from './schema/validate.ts';
import { publicTree, secretsOf } from './secrets.ts';
import { type Layer, readSpec, type Spec } from './spec.ts';

/** A configuration with everything that is known about where it came from. */
export interface LoadedConfig {
  config: Config;
  /** Origin of each value, by dotted key. */
  sources: ReadonlyMap<string, string>;
  /** The layers in the order they were stacked, shipped base first. */
  layers: readonly Layer[];
  /** Absolute paths of the files among them. */
  files: readonly string[];
  /** sha256 of the configuration without its secrets; equal digests mean equal behaviour. */
  digest: string;
  /** The stacked tree as it was merged, secrets included: never write it anywhere. */
  merged: Tree;
  /** Secrets found in it and in the environment, for {@link createRedactor}. */
  secrets: readonly Secret[];
}

/**
 * Stacks YAML files and `key=value` overrides, later over earlier, on the shipped `base.yaml`.
 *
 * @param specs in order of priority, lowest first; see {@link stackSpecs} for the order of a test's options.
 * @param base shipped files that always lie below.
 * @param env searched for secret values; nothing else is read from it (`WEBWRIGHT_CONFIG` is {@link stackSpecs}' business).
 * @throws WebwrightError CONFIG_INVALID, naming the spec or the key and what to write instead.
 * @example
 * const { config } = loadConfig({ specs: ['local_browser.yaml', 'agent.step_limit=40'], cwd: process.cwd(), packageRoot, env: process.env });
 */
export function loadConfig({
  specs,
  base = ['base.yaml'],
  cwd,
  packageRoot,
  env,
}: {
  specs: readonly (string | Spec)[];
  base?: readonly string[];
  cwd: string;
  packageRoot: string;
  env: Readonly<Record<string, string | undefined>>;
}): LoadedConfig {
  const shipped = join(packageRoot, 'config');
  const folders = [...new Set([resolve(cwd, 'config'), shipped])];
  const ground = base.map(spec => readSpec({ spec: { spec }, cwd: shipped, folders: [shipped] }));
  const stacked = specs.map(spec => readSpec({ spec: typeof spec === 'string' ? { spec } : spec, cwd, folders }));
  // `base.yaml` first in a stack is a habit; it must not undo what lies between it and the ground.
  const layers = [...ground, ...stacked.filter(({ path }) => path === undefined || !ground.some(layer => layer.path === path))];
  const sources = new Map<string, string>();
  let merged: Tree = {};
  for (const { tree, origin } of layers) {
    merged = mergeTrees({ lower: merged, upper: tree, onSet: (path, value) => recordOrigin({ sources, path, value, origin }) });
  }
  const config = validateConfig({ merged, sources });
  const secrets = secretsOf({ config, env });
  return {
    config,
    sources,
    layers,
    files: layers.flatMap(({ path }) => (path ? [path] : [])),
    digest: configDigest({ config, secrets }),
    merged,
    secrets,
  };
}

/** The digest of a configuration: secrets are left out by key and by value, so that a snapshot without them has the same. */
export function configDigest({ config, secrets }: { config: Config; secrets: readonly Secret[] }): string {
  return digestOf(publicTree({ value: config, redact: createRedactor({ secrets }) }));
}

/** A value that replaces a whole section ends the origins of what was in it, and the other way round. */
function recordOrigin({
  sources,
  path,
  value,
  origin,
}: {
  sources: Map<string, string>;
  path: string[];
  value: unknown;
  origin: string;
}): void {
  const key = path.join('.');
  const replacesSection = value === null || typeof value !== 'object' || Array.isArray(value);
  if (replacesSection) for (const known of sources.keys()) if (known.startsWith(`${key}.`)) sources.delete(known);
  for (let n = 1; n < path.length; n++) sources.delete(path.slice(0, n).join('.'));
  sources.set(key, origin);
}
