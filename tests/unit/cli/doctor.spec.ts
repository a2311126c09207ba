import { expect, test } from '@playwright/test';
import { type Check, missing, ok, optional } from '../../../src/cli/doctor/check.ts';
import { inRange, nodeFinding } from '../../../src/cli/doctor/checks.ts';
import { modelFinding } from '../../../src/cli/doctor/model.ts';
import { createDoctor } from '../../../src/cli/doctor.ts';
import { judgeEndpoint } from '../../../src/config/judge-model.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { packageRoot } from './run-cli.ts';

const check = (name: string, finding: Awaited<ReturnType<Check['check']>>): Check => ({ name, check: async () => finding });

async function examine(checks: Check[], flags: { json?: boolean } = {}) {
  const out: string[] = [];
  const io = {
    print: (line: string) => void out.push(line),
    warn: () => {},
    cwd: packageRoot,
    env: {},
    packageRoot,
    signal: new AbortController().signal,
  };
  const code = await createDoctor(checks).run({ flags, positionals: [], io });
  return { code, out: out.join('\n') };
}

test('0 when all is there or what is not there is not needed', async () => {
  const { code, out } = await examine([check('node', ok('22')), check('data', optional('no data', 'get it'))]);
  expect(code).toBe(0);
  expect(out).toMatch(/ok +node: 22\nnot there +data: no data\n +try: get it\nNothing that is needed is missing\./);
});

test('1 when something needed is missing, with what to type', async () => {
  const { code, out } = await examine([check('browser', missing('none', 'npx playwright install chromium')), check('node', ok('22'))]);
  expect(code).toBe(1);
  expect(out).toMatch(/MISSING +browser: none\n +try: npx playwright install chromium/);
});

test('a check that throws is missing, never ok', async () => {
  const { code, out } = await examine([{ name: 'odd', check: () => Promise.reject(new Error('boom')) }]);
  expect(code).toBe(1);
  expect(out).toContain('could not be checked: boom');
});

test('--json says the same', async () => {
  const { out } = await examine([check('node', ok('22')), check('bash', missing('none', 'install it'))], { json: true });
  expect(JSON.parse(out)).toEqual({
    ok: false,
    checks: [
      { name: 'node', status: 'ok', detail: '22' },
      { name: 'bash', status: 'missing', detail: 'none', remedy: 'install it' },
    ],
  });
});

const finding = (specs: string[], env: Record<string, string> = {}) => {
  const { config } = loadConfig({ specs, cwd: packageRoot, packageRoot, env });
  return modelFinding({ endpoint: config.model, env, cwd: '/nowhere', section: 'model' });
};

for (const { specs, env = {}, status, says } of [
  { specs: [], status: 'missing', says: /model\.model_name is not set/ },
  { specs: ['model_openai.yaml'], status: 'missing', says: /OPENAI_API_KEY is not set/ },
  {
    specs: ['model_openai.yaml'],
    env: { OPENAI_API_KEY: 'sk-1' },
    status: 'ok',
    says: /gpt-5\.4 at https:\/\/api\.openai\.com\/v1, key present/,
  },
  { specs: ['model_claude.yaml'], env: { OPENAI_API_KEY: 'sk-1' }, status: 'missing', says: /ANTHROPIC_API_KEY is not set/ },
  { specs: ['model_openrouter.yaml'], env: { OPENROUTER_API_KEY: 'k' }, status: 'ok', says: /openrouter\.ai/ },
  { specs: ['model_zhipu.yaml'], env: { ZHIPUAI_API_KEY: 'k' }, status: 'ok', says: /open\.bigmodel\.cn/ },
  { specs: ['model_local.yaml', 'model.model_name=qwen'], status: 'ok', says: /qwen at http:\/\/127\.0\.0\.1:11434\/v1, no key needed/ },
  { specs: ['model_recorded.yaml'], status: 'missing', says: /no recordings in/ },
  {
    specs: ['model_openai.yaml'],
    env: { OPENAI_API_KEY: 'sk-1', OPENAI_BASE_URL: 'http://127.0.0.1:9/v1' },
    status: 'ok',
    says: /127\.0\.0\.1:9/,
  },
]) {
  test(`model: ${[...specs, ...Object.keys(env)].join(' ') || 'base alone'} → ${status}`, () => {
    const { status: found, detail } = finding(specs, env);
    expect(found).toBe(status);
    expect(detail).toMatch(says);
    expect(detail).not.toContain('sk-1');
  });
}

test('a judge elsewhere needs a key of its own', () => {
  const { config } = loadConfig({
    specs: ['model_openai.yaml', 'judge.model.model_class=anthropic', 'judge.model.model_name=c'],
    cwd: packageRoot,
    packageRoot,
    env: {},
  });
  const judge = modelFinding({
    endpoint: judgeEndpoint(config).endpoint,
    env: { OPENAI_API_KEY: 'sk-1' },
    cwd: '/',
    section: 'judge.model',
  });
  expect(judge).toMatchObject({ status: 'missing', detail: expect.stringContaining('ANTHROPIC_API_KEY') });
});

test('Node 20.19 or later', () => {
  expect(['18.20.1', '20.18.3', '20.19.0', '24.1.0'].map(version => nodeFinding(version).status)).toEqual([
    'missing',
    'missing',
    'ok',
    'ok',
  ]);
});

test('the range of the peer dependency', () => {
  const range = '>=1.65.0 <1.66.0';
  expect(['1.64.9', '1.65.0', '1.65.12', '1.66.0', '2.0.0'].map(version => inRange({ version, range }))).toEqual([
    false,
    true,
    true,
    false,
    false,
  ]);
});
