import type { Spec } from './spec.ts';

/** Providers that `provider/model` may name, and the shipped file that says how to reach each. */
const providers: Record<string, string> = {
  openai: 'model_openai.yaml',
  anthropic: 'model_claude.yaml',
  openrouter: 'model_openrouter.yaml',
  zhipu: 'model_zhipu.yaml',
  local: 'model_local.yaml',
};

/**
 * The specs of a test in order of priority, lowest first: `agentConfig`, then `agentModel` and `judgeModel`, then the
 * environment variable `WEBWRIGHT_CONFIG` (specs separated by newlines or `;`), then what the call itself asks for.
 *
 * `agentModel` and `judgeModel` take `provider/model` (`openai/gpt-5.4`, `openrouter/openai/gpt-5.4`), a YAML file that
 * holds `model:`, or the id of another model at the endpoint that is configured already.
 *
 * @example
 * stackSpecs({ agentConfig: ['local_browser.yaml'], judgeModel: 'model_claude.yaml', env: process.env, call: ['agent.step_limit=3'] });
 */
export function stackSpecs({
  agentConfig = [],
  agentModel = '',
  judgeModel = '',
  env,
  call = [],
}: {
  agentConfig?: readonly string[];
  /** Empty: as configured. */
  agentModel?: string;
  judgeModel?: string;
  env: Readonly<Record<string, string | undefined>>;
  call?: readonly string[];
}): Spec[] {
  const fromEnv = (env['WEBWRIGHT_CONFIG'] ?? '').split(/[\n;]/).map(spec => spec.trim());
  return [
    ...agentConfig.map(spec => ({ spec, from: 'agentConfig' })),
    ...modelSpecs({ value: agentModel, from: 'agentModel' }),
    ...modelSpecs({ value: judgeModel, from: 'judgeModel' }),
    ...fromEnv.filter(spec => spec !== '').map(spec => ({ spec, from: 'WEBWRIGHT_CONFIG' })),
    ...call.map(spec => ({ spec, from: 'call' })),
  ];
}

function modelSpecs({ value, from }: { value: string; from: 'agentModel' | 'judgeModel' }): Spec[] {
  if (value === '') return [];
  const file = (spec: string): Spec => (from === 'judgeModel' ? { spec, from, modelInto: 'judge.model' } : { spec, from });
  const named = (model: string): Spec => ({
    spec: `${from === 'judgeModel' ? 'judge.' : ''}model.model_name=${JSON.stringify(model)}`,
    from,
  });
  if (/\.ya?ml$/.test(value)) return [file(value)];
  const [, provider = '', model = ''] = /^([a-z]+)\/(.+)$/.exec(value) ?? [];
  const overlay = Object.hasOwn(providers, provider) ? providers[provider] : undefined;
  return overlay ? [file(overlay), named(model)] : [named(value)];
}
