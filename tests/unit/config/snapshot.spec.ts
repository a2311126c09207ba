import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { loadConfig } from '../../../src/config/load.ts';
import { findPackageRoot } from '../../../src/config/package-root.ts';
import { isSecretKey } from '../../../src/config/secrets.ts';
import { snapshotFiles } from '../../../src/config/snapshot.ts';

const packageRoot = findPackageRoot(import.meta.url);
const load = (specs: string[], { env = {}, cwd = packageRoot }: { env?: Record<string, string>; cwd?: string } = {}) =>
  loadConfig({ specs, cwd, packageRoot, env });

const inFile = 'canary-in-file-0123456789';
const inline = 'canary-inline-0123456789';
const inEnv = 'canary-env-0123456789';
const password = 'canary-password-0123456789';

let folder: string;
test.beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'webwright-snapshot-'));
  const mine = `# my own\nmodel:\n  api_key: ${inFile} # do not show\n  model_name: m\nenvironment:\n  env:\n    SHOP_PASSWORD: ${password}\n`;
  writeFileSync(join(folder, 'mine.yaml'), mine);
});
test.afterAll(() => rmSync(folder, { recursive: true }));

const specs = [
  'mine.yaml',
  `model.api_key=${inline}`,
  `environment.env.TOKEN=${inline}2`,
  `environment={env: {X: ${inline}3}}`,
  `run.task=pay with ${inEnv}`,
];
const snapshot = () => snapshotFiles(load(specs, { cwd: folder, env: { PAY_TOKEN: inEnv } }));

test('copies, manifest and merged configuration, in the order of the stack', () => {
  expect(Object.keys(snapshot())).toEqual(['00_base.yaml', '01_mine.yaml', 'config_spec_manifest.json', 'merged_config.yaml']);
  expect(JSON.parse(snapshot()['config_spec_manifest.json']!)).toEqual([
    { index: 0, spec: 'base.yaml', kind: 'file', saved_copy: '00_base.yaml' },
    { index: 1, spec: 'mine.yaml', kind: 'file', saved_copy: '01_mine.yaml' },
    { index: 2, spec: 'model.api_key=[redacted]', kind: 'inline_override' },
    { index: 3, spec: 'environment.env.TOKEN=[redacted]', kind: 'inline_override' },
    { index: 4, spec: 'environment={}', kind: 'inline_override' },
    { index: 5, spec: 'run.task=pay with [redacted:PAY_TOKEN]', kind: 'inline_override' },
  ]);
});

test('no secret is in any of them: by key, by value, inline or in a file', () => {
  const all = JSON.stringify(snapshot());
  for (const secret of [inFile, inline, inEnv, password]) expect(all).not.toContain(secret);
  expect(parse(snapshot()['01_mine.yaml']!)).toEqual({ model: { model_name: 'm' }, environment: {} });
});

test('a file without secrets is copied as it is, comments too', () => {
  const files = snapshotFiles(load(['model_openai.yaml']));
  expect(files['01_model_openai.yaml']).toContain('# OpenAI');
});

test('secrets that only the caller knows are removed as well', () => {
  const files = snapshotFiles(load(['run.task=say hunter2-hunter2']), text => text.replaceAll('hunter2-hunter2', '[mine]'));
  expect(parse(files['merged_config.yaml']!)).toMatchObject({ run: { task: 'say [mine]' } });
});

for (const stack of [[], ['local_browser.yaml', 'agent.step_limit=40', 'budget.usd=null', 'judge.model.model_name=j'], specs]) {
  test(`a run from merged_config.yaml has the same digest: ${stack.length} specs`, () => {
    const options = { cwd: folder, env: { PAY_TOKEN: inEnv } };
    const loaded = load(stack, options);
    writeFileSync(join(folder, 'merged_config.yaml'), snapshotFiles(loaded)['merged_config.yaml']!);
    expect(load(['merged_config.yaml'], options).digest).toBe(loaded.digest);
    expect(load(['merged_config.yaml'], { cwd: folder }).digest).toBe(loaded.digest);
  });
}

test('the digest changes with behaviour and not with a key', () => {
  const { digest } = load([]);
  expect(load(['agent.step_limit=99']).digest).not.toBe(digest);
  expect(load(['model.api_key=sk-1234567890']).digest).toBe(digest);
});

for (const [key, secret] of Object.entries({
  api_key: true,
  openai_api_key: true,
  apiKey: true,
  access_token: true,
  password: true,
  client_secret: true,
  credentials: true,
  env: true,
  api_key_env: false,
  credentials_file: false,
  tokens: false,
  max_output_tokens: false,
  summary_at_tokens: false,
  environment: false,
  keep_last_n_observations: false,
})) {
  test(`${key} is ${secret ? '' : 'not '}a secret`, () => {
    expect(isSecretKey(key)).toBe(secret);
  });
}
