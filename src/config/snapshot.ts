import { basename } from 'node:path';
import { isMap, isScalar, parseDocument, stringify, visit } from 'yaml';
import { createRedactor, type Redact } from '../core/redact.ts';
import type { LoadedConfig } from './load.ts';
import { isSecretKey, publicTree } from './secrets.ts';
import type { Layer } from './spec.ts';

/** An entry of `config_spec_manifest.json` (Webwright's fields). */
export interface ManifestEntry {
  index: number;
  spec: string;
  kind: 'file' | 'inline_override';
  saved_copy?: string;
}

/**
 * The files of `config_snapshot/` by name: a copy of each stacked file (`NN_name.yaml`), `config_spec_manifest.json` and
 * `merged_config.yaml`. Secrets are removed by key and by value; a run started from `merged_config.yaml` has the same digest.
 *
 * @param redact removes further secrets the caller knows of.
 * @example
 * for (const [name, text] of Object.entries(snapshotFiles(loaded))) writeFileSync(join(folder, name), text);
 */
export function snapshotFiles(loaded: LoadedConfig, redact: Redact = text => text): Record<string, string> {
  const known = createRedactor({ secrets: loaded.secrets });
  const clean: Redact = text => redact(known(text));
  const files: Record<string, string> = {};
  const manifest = loaded.layers.map((layer, index): ManifestEntry => {
    if (layer.kind === 'override') return { index, spec: clean(withoutSecretValue(layer)), kind: 'inline_override' };
    const name = `${String(index).padStart(2, '0')}_${basename(layer.path ?? layer.spec)}`;
    files[name] = clean(withoutSecretKeys(layer.text ?? ''));
    return { index, spec: clean(layer.spec), kind: 'file', saved_copy: name };
  });
  files['config_spec_manifest.json'] = `${JSON.stringify(manifest, null, 2)}\n`;
  files['merged_config.yaml'] = stringify(publicTree({ value: loaded.config, redact: clean }), { lineWidth: 0 });
  return files;
}

function withoutSecretValue({ spec }: Layer): string {
  const key = spec.slice(0, spec.indexOf('='));
  return key.split('.').some(isSecretKey) || isSecretKey(key.replaceAll('.', '_')) ? `${key}=[redacted]` : redactInlineTree(key, spec);
}

/** `environment={env: {A: 1}}`: a value that is a tree with secrets in it. */
function redactInlineTree(key: string, spec: string): string {
  const text = spec.slice(key.length + 1);
  const cleaned = withoutSecretKeys(text);
  return cleaned === text ? spec : `${key}=${cleaned.trim()}`;
}

/** YAML text without its secret keys; text without any stays as it was, comments and layout too. */
function withoutSecretKeys(text: string): string {
  const document = parseDocument(text);
  let found = false;
  visit(document, {
    Map(_key, map) {
      if (!isMap(map)) return;
      const kept = map.items.filter(({ key }) => !isSecretKey(String(isScalar(key) ? key.value : key)));
      found ||= kept.length < map.items.length;
      map.items = kept;
    },
  });
  return found ? document.toString({ lineWidth: 0 }) : text;
}
