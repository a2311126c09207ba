import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { parseDocument } from 'yaml';
import { WebwrightError } from '../core/errors.ts';
import { didYouMean } from './did-you-mean.ts';
import { isTree, type Tree } from './merge.ts';

/** One thing a user may stack: a file, the name of a shipped file, or an inline override. */
export interface Spec {
  spec: string;
  /** Who asked for it: `agentConfig`, `WEBWRIGHT_CONFIG`, `-c` …; shown as part of a value's origin. */
  from?: string;
  /** Section that a file's `model:` goes to instead of `model:`, for `judgeModel: 'model_claude.yaml'`. */
  modelInto?: 'judge.model';
}

/** A spec that was found and read. */
export interface Layer {
  spec: string;
  kind: 'file' | 'override';
  /** Absolute path of a file. */
  path?: string;
  /** A file's text as it was read. */
  text?: string;
  tree: Tree;
  /** Where its values come from, for people. */
  origin: string;
}

const sizeLimitBytes = 1_000_000;
/** Files in `config/` that are data, not layers. */
const notLayers = new Set(['prices.yaml']);

/** Finds and reads one spec: an existing path, a name in the user's `config/` or in the package's, or `key=value`. */
export function readSpec({ spec, cwd, folders, home = homedir() }: { spec: Spec; cwd: string; folders: string[]; home?: string }): Layer {
  const found = findFile({ spec: spec.spec, cwd, folders, home });
  const layer = found ? readFile({ spec: spec.spec, ...found }) : readOverride({ spec: spec.spec, folders });
  const origin = spec.from ? `${layer.origin} (${spec.from})` : layer.origin;
  return { ...layer, origin, tree: spec.modelInto ? intoJudge(layer) : layer.tree };
}

/** Names of the files in the given folders, in order, each once. */
export function shippedNames(folders: string[]): string[] {
  const names = folders
    .filter(folder => existsSync(folder))
    .flatMap(folder =>
      readdirSync(folder)
        .filter(name => isYaml(name) && !notLayers.has(name))
        .sort(),
    );
  return [...new Set(names)];
}

function findFile({
  spec,
  cwd,
  folders,
  home,
}: {
  spec: string;
  cwd: string;
  folders: string[];
  home: string;
}): { path: string; origin: string } | undefined {
  const direct = resolve(cwd, spec.startsWith('~/') ? join(home, spec.slice(2)) : spec);
  const shipped = folders.at(-1)!;
  if (isFile(direct)) return { path: direct, origin: dirname(direct) === shipped ? `${basename(direct)} (shipped)` : spec };
  const names = isYaml(spec) ? [spec] : [spec, `${spec}.yaml`];
  for (const folder of folders) {
    for (const name of names) {
      const path = join(folder, name);
      if (isFile(path)) return { path, origin: folder === shipped ? `${basename(path)} (shipped)` : `config/${basename(path)}` };
    }
  }
  return undefined;
}

function readFile({ spec, path, origin }: { spec: string; path: string; origin: string }): Layer {
  if (statSync(path).size > sizeLimitBytes)
    throw invalid({ what: `Config file ${spec} is larger than 1 MB`, seen: path, remedy: 'is this a config file?' });
  const text = readFileSync(path, 'utf8');
  const tree = parseYaml({ text, name: spec }) ?? {};
  if (!isTree(tree))
    throw invalid({
      what: `Config file ${spec} must hold sections such as "agent:"`,
      seen: text.slice(0, 80),
      remedy: 'see docs/configuration.md',
    });
  return { spec, kind: 'file', path, text, tree, origin };
}

function readOverride({ spec, folders }: { spec: string; folders: string[] }): Layer {
  const at = spec.indexOf('=');
  const keys = spec.slice(0, at).trim().split('.');
  if (at < 0) throw notFound({ spec, folders });
  if (keys.some(key => key === '')) {
    throw invalid({
      what: `Config override ${JSON.stringify(spec)} has no key`,
      seen: spec,
      remedy: 'write section.key=value, as in agent.step_limit=40',
    });
  }
  const value = parseYaml({ text: spec.slice(at + 1), name: `override ${spec.slice(0, at)}` }) ?? null;
  const tree = keys.reduceRight<unknown>((below, key) => ({ [key]: below }), value) as Tree;
  // The value may be a key: the origin names the override, not what it sets.
  return { spec, kind: 'override', tree, origin: `override ${keys.join('.')}=…` };
}

function notFound({ spec, folders }: { spec: string; folders: string[] }): WebwrightError {
  const names = shippedNames(folders);
  const near = didYouMean(isYaml(spec) ? spec : `${spec}.yaml`, names);
  return invalid({
    what: `Config ${JSON.stringify(spec)} is neither a file, nor a shipped name, nor a key=value override`,
    seen: `known names: ${names.join(', ') || 'none'}`,
    remedy: near ? `did you mean ${near}?` : 'give a path, one of the names, or section.key=value',
  });
}

function intoJudge({ tree, spec, kind }: Layer): Tree {
  const { model, ...rest } = tree;
  if (!isTree(model) || Object.keys(rest).length > 0) {
    throw invalid({
      what: `${JSON.stringify(spec)} cannot be the judge's model: it sets ${Object.keys(rest)[0] ?? 'no model'}`,
      seen: `${kind} with ${Object.keys(tree).join(', ') || 'nothing'}`,
      remedy: 'give a model id, or a file that holds only "model:"',
    });
  }
  return { judge: { model } };
}

function parseYaml({ text, name }: { text: string; name: string }): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const problem = document.errors[0];
  if (problem) {
    const where = problem.linePos ? ` (line ${problem.linePos[0].line}, column ${problem.linePos[0].col})` : '';
    throw invalid({
      what: `${name} is not valid YAML${where}`,
      seen: problem.message.split('\n')[0]!,
      remedy: 'correct it, or quote the value',
    });
  }
  return document.toJS({ maxAliasCount: 100 }) as unknown;
}

function invalid(lines: { what: string; seen: string; remedy: string }): WebwrightError {
  return new WebwrightError({ code: 'CONFIG_INVALID', ...lines });
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}

function isYaml(name: string): boolean {
  return ['.yaml', '.yml'].includes(extname(name));
}
