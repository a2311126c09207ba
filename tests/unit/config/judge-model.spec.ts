import { expect, test } from '@playwright/test';
import { judgeEndpoint } from '../../../src/config/judge-model.ts';
import { loadConfig } from '../../../src/config/load.ts';
import { findPackageRoot } from '../../../src/config/package-root.ts';

const packageRoot = findPackageRoot(import.meta.url);
const judge = (...specs: string[]) =>
  judgeEndpoint(
    loadConfig({ specs: ['model_openrouter.yaml', 'model.api_key=sk-openrouter', ...specs], cwd: packageRoot, packageRoot, env: {} })
      .config,
  );

test('without judge.model the judge is the agent', () => {
  const { endpoint, same } = judge();
  expect(same).toBe(true);
  expect(endpoint).toMatchObject({ model_class: 'chat', model_name: 'openai/gpt-5.4', api_key: 'sk-openrouter' });
});

test('another model at the same endpoint keeps its address and key', () => {
  const { endpoint, same } = judge('judge.model.model_name=other', 'judge.model.temperature=0');
  expect(same).toBe(false);
  expect(endpoint).toMatchObject({
    model_name: 'other',
    temperature: 0,
    api_key: 'sk-openrouter',
    base_url: 'https://openrouter.ai/api/v1',
  });
});

test("another endpoint gets neither the agent's key nor its address", () => {
  const { endpoint } = judge('judge.model.model_class=anthropic', 'judge.model.model_name=claude');
  expect(endpoint).toMatchObject({ model_class: 'anthropic', base_url: null, api_key: null, api_key_env: null });
});

test('null means: as the agent', () => {
  expect(judge('judge.model.model_name=null').same).toBe(true);
});
