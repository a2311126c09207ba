import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { loadConfig } from '../../../src/config/load.ts';
import { findPackageRoot } from '../../../src/config/package-root.ts';
import type { Spec } from '../../../src/config/spec.ts';
import { stackSpecs } from '../../../src/config/stack.ts';

const packageRoot = findPackageRoot(import.meta.url);

const test = base.extend<{
  project: {
    cwd: string;
    write: (path: string, text: string) => string;
    load: (...specs: (string | Spec)[]) => ReturnType<typeof loadConfig>;
  };
}>({
  project: async ({}, use) => {
    const cwd = mkdtempSync(join(tmpdir(), 'webwright-config-'));
    await use({
      cwd,
      write: (path, text) => {
        mkdirSync(dirname(join(cwd, path)), { recursive: true });
        writeFileSync(join(cwd, path), text);
        return join(cwd, path);
      },
      load: (...specs) => loadConfig({ specs, cwd, packageRoot, env: {} }),
    });
    rmSync(cwd, { recursive: true });
  },
});

test('without specs the shipped base is the configuration', ({ project }) => {
  const { config, sources, files } = project.load();
  expect(config.agent.step_limit).toBe(100);
  expect(config.model.max_output_tokens).toBe(16_000);
  expect(sources.get('agent.step_limit')).toBe('base.yaml (shipped)');
  expect(files).toEqual([join(packageRoot, 'config', 'base.yaml')]);
});

test('later specs win, and each value knows where it comes from', ({ project }) => {
  project.write('mine.yaml', 'agent:\n  step_limit: 7\n  max_looks: 2\n');
  const { config, sources } = project.load('local_browser.yaml', './mine.yaml', 'agent.step_limit=9');
  expect(config.agent).toMatchObject({ step_limit: 9, max_looks: 2 });
  expect(config.environment.environment_class).toBe('live');
  expect(Object.fromEntries(sources)).toMatchObject({
    'agent.step_limit': 'override agent.step_limit=…',
    'agent.max_looks': './mine.yaml',
    'environment.environment_class': 'local_browser.yaml (shipped)',
    'agent.max_format_errors': 'base.yaml (shipped)',
  });
});

test('a name is looked for as a path, then in the project, then in the package', ({ project }) => {
  project.write('config/model_openai.yaml', 'model: { model_name: from-project }\n');
  expect(project.load('model_openai').config.model.model_name).toBe('from-project');
  project.write('model_openai.yaml', 'model: { model_name: from-path }\n');
  expect(project.load('model_openai.yaml').config.model.model_name).toBe('from-path');
  expect(project.load('model_claude.yaml').config.model.model_class).toBe('anthropic');
});

test('a base.yaml of the project goes over the shipped one, not in its place', ({ project }) => {
  project.write('config/base.yaml', 'agent: { step_limit: 5 }\n');
  const { config } = project.load('base.yaml');
  expect([config.agent.step_limit, config.agent.max_looks]).toEqual([5, 5]);
});

test('naming the shipped base.yaml again undoes nothing', ({ project }) => {
  const { config, files } = project.load('local_browser.yaml', 'base.yaml');
  expect(config.environment.environment_class).toBe('live');
  expect(files).toHaveLength(2);
});

test('an override is split at its first "=" and its value is YAML', ({ project }) => {
  const { config } = project.load(
    'run.task=a=b',
    'run.start_urls=[http://a.test/, http://b.test/]',
    'agent.debug_log=false',
    'run.task_id=',
  );
  expect(config.run).toMatchObject({ task: 'a=b', start_urls: ['http://a.test/', 'http://b.test/'], task_id: null });
  expect(config.agent.debug_log).toBe(false);
});

test('an explicit null replaces', ({ project }) => {
  expect(project.load('budget.usd=null').config.budget.usd).toBeNull();
  expect(() => project.load('agent.step_limit=null')).toThrow(/agent\.step_limit.*\n.*seen: null from override/);
});

for (const { spec, says } of [
  {
    spec: 'agent.step_limt=40',
    says: /Unknown config key agent\.step_limt\n.*override agent\.step_limt=…\n.*did you mean agent\.step_limit\?/,
  },
  { spec: 'step_limit=40', says: /Unknown config key step_limit\n[\s\S]*did you mean agent\.step_limit\?/ },
  { spec: 'agnet.step_limit=40', says: /Unknown config key agnet\n[\s\S]*did you mean agent\?/ },
  { spec: 'agent.summary_user_prompt=x', says: /Unknown config key agent\.summary_user_prompt/ },
  { spec: 'environment.aria_mode=flded', says: /environment\.aria_mode[\s\S]*did you mean folded\?/ },
  { spec: 'model.model_class=antropic', says: /model\.model_class: expected openai, anthropic[\s\S]*did you mean anthropic\?/ },
  { spec: 'agent.step_limit=0', says: /agent\.step_limit/ },
  { spec: 'agent.step_limit=1.5', says: /agent\.step_limit/ },
  { spec: 'agent.max_looks=6', says: /agent\.max_looks/ },
  { spec: 'agent.debug_log=yes', says: /agent\.debug_log.*boolean/ },
  { spec: 'model.base_url=localhost:11434', says: /model\.base_url/ },
  { spec: 'local_browse', says: /neither a file[\s\S]*base\.yaml[\s\S]*did you mean local_browser\.yaml\?/ },
  { spec: '=3', says: /has no key/ },
  { spec: 'agent..step_limit=3', says: /has no key/ },
  { spec: 'run.task=[a', says: /override run\.task is not valid YAML/ },
]) {
  test(`refused: ${spec}`, ({ project }) => {
    expect(() => project.load(spec)).toThrow(says);
  });
}

test('a broken or foreign file is named with its line', ({ project }) => {
  project.write('broken.yaml', 'agent:\n  step_limit: [1\n');
  expect(() => project.load('broken.yaml')).toThrow(/broken\.yaml is not valid YAML \(line/);
  project.write('twice.yaml', 'agent: {}\nagent: {}\n');
  expect(() => project.load('twice.yaml')).toThrow(/twice\.yaml is not valid YAML/);
  project.write('list.yaml', '- a\n');
  expect(() => project.load('list.yaml')).toThrow(/must hold sections/);
  project.write('empty.yaml', '');
  expect(project.load('empty.yaml').digest).toBe(project.load().digest);
});

test('a wrong value that may be a secret is not shown', ({ project }) => {
  const message = messageOf(() => project.load('model.api_key=[sk-1234567890]'));
  expect(message).toContain('model.api_key');
  expect(message).not.toContain('sk-1234567890');
});

test('environment.env takes numbers and booleans as text', ({ project }) => {
  expect(project.load('environment.env.A=1', 'environment.env.B=true').config.environment.env).toMatchObject({ A: '1', B: 'true' });
});

test('precedence: package < agentConfig < agentModel < WEBWRIGHT_CONFIG < call', ({ project }) => {
  const name = (options: Omit<Parameters<typeof stackSpecs>[0], 'env'> & { env?: Record<string, string> }) =>
    project.load(...stackSpecs({ env: {}, ...options })).config.model.model_name;
  const agentConfig = ['model_openai.yaml', 'model.model_name=a'];
  const env = { WEBWRIGHT_CONFIG: 'agent.step_limit=3; model.model_name=c' };
  expect(name({ agentConfig })).toBe('a');
  expect(name({ agentConfig, agentModel: 'b' })).toBe('b');
  expect(name({ agentConfig, agentModel: 'b', env })).toBe('c');
  expect(name({ agentConfig, agentModel: 'b', env, call: ['model.model_name=d'] })).toBe('d');
});

test('the origin says who asked', ({ project }) => {
  const { sources } = project.load(...stackSpecs({ env: { WEBWRIGHT_CONFIG: 'agent.step_limit=3' } }));
  expect(sources.get('agent.step_limit')).toBe('override agent.step_limit=… (WEBWRIGHT_CONFIG)');
});

test('agentModel and judgeModel: provider/model, a file, or an id at the same endpoint', ({ project }) => {
  const load = (options: { agentModel?: string; judgeModel?: string }) => project.load(...stackSpecs({ env: {}, ...options })).config;
  expect(load({ agentModel: 'openrouter/openai/gpt-5.4' }).model).toMatchObject({ model_class: 'chat', model_name: 'openai/gpt-5.4' });
  expect(load({ agentModel: 'model_claude.yaml' }).model.model_class).toBe('anthropic');
  expect(load({ judgeModel: 'anthropic/claude-x' }).judge.model).toMatchObject({ model_class: 'anthropic', model_name: 'claude-x' });
  expect(load({ judgeModel: 'tiny' }).judge.model).toEqual({ model_name: 'tiny' });
  expect(() => load({ judgeModel: 'local_browser.yaml' })).toThrow(/cannot be the judge's model: it sets agent/);
});

test('a provider overlay takes nothing over from the one below it', ({ project }) => {
  const { model } = project.load('model_zhipu.yaml', 'model.api_key=sk-zhipu-1', 'model_claude.yaml').config;
  expect(model).toMatchObject({ base_url: null, api_key: null, api_key_env: null });
});

function messageOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error('nothing was thrown');
}
