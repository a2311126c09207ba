import { stringify } from 'yaml';
import type { LoadedConfig } from '../config/load.ts';
import { isTree } from '../config/merge.ts';
import { isSecretKey, publicTree } from '../config/secrets.ts';
import { createRedactor } from '../core/redact.ts';
import { configFlag, loadStack } from './load-stack.ts';
import { exitCodes, listFlag, type Verb } from './verb.ts';

/** `webwright config`: the merged configuration, and where each value comes from. Secrets are never shown. */
export const config: Verb = {
  summary: 'prints the merged configuration with the origin of each value',
  usage: '[-c SPEC]… [--yaml | --json]',
  details: [
    '-c SPEC   a YAML file, the name of a shipped one, or key=value; repeat it, later ones win',
    '--yaml    as a file that can be given to -c',
    '--json    {digest, values: {key: {value, origin}}}',
  ],
  flags: { ...configFlag, yaml: { type: 'boolean' }, json: { type: 'boolean' } },
  positionals: { min: 0, max: 0 },
  async run({ flags, io }) {
    const loaded = loadStack({ specs: listFlag(flags['config']), io });
    const redact = createRedactor({ secrets: loaded.secrets });
    const values = valuesOf(loaded).map(([key, value]): [string, unknown] => [key, shownValue({ key, value, redact })]);
    const originOf = (key: string) => redact(loaded.sources.get(key) ?? nearestOrigin({ key, loaded }));
    if (flags['yaml']) {
      io.print(stringify(publicTree({ value: loaded.config, redact }), { lineWidth: 0 }).trimEnd());
    } else if (flags['json']) {
      const entries = values.map(([key, value]) => [key, { value, origin: originOf(key) }]);
      io.print(JSON.stringify({ digest: loaded.digest, values: Object.fromEntries(entries) }, null, 2));
    } else {
      for (const [key, value] of values) io.print(`${key}: ${inOneLine(value)}  # ${originOf(key)}`);
      io.print(`# digest ${loaded.digest}`);
    }
    return exitCodes.ok;
  },
};

/** Every key that is no section, with dots, in the order of the schema. */
function valuesOf({ config }: LoadedConfig): [string, unknown][] {
  const visit = (value: unknown, path: string[]): [string, unknown][] =>
    isTree(value) && Object.keys(value).length > 0
      ? Object.entries(value).flatMap(([key, below]) => visit(below, [...path, key]))
      : [[path.join('.'), value]];
  return visit(config, []);
}

function shownValue({ key, value, redact }: { key: string; value: unknown; redact: (text: string) => string }): unknown {
  const secret = key.split('.').some(isSecretKey) && value !== null && !isTree(value);
  if (secret) return '[redacted]';
  return publicTree({ value, redact });
}

/** An override of a whole section is the origin of what is in it. */
function nearestOrigin({ key, loaded: { sources } }: { key: string; loaded: LoadedConfig }): string {
  return [...sources].findLast(([path]) => key.startsWith(`${path}.`) || path.startsWith(`${key}.`))?.[1] ?? 'default';
}

function inOneLine(value: unknown): string {
  if (typeof value !== 'string' || !value.includes('\n')) return JSON.stringify(value);
  const lines = value.trimEnd().split('\n');
  return `${JSON.stringify(`${lines[0]!.slice(0, 60)}…`)} (${lines.length} lines)`;
}
