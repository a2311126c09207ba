import type { Spec } from './spec.ts';

/**
 * The specs of a test in order of priority, lowest first: `agentConfig`, then `agentModel` and `judgeModel`, then the
 * environment variable `WEBWRIGHT_CONFIG` (specs separated by newlines or `;`), then what the call itself asks for.
 *
 * `agentModel` and `judgeModel` take a model id, or a YAML file that holds `model:`.
 *
 * @example
 * stackSpecs({ agentConfig: ['local_browser.yaml'], judgeModel: 'model_claude.yaml', env: process.env, call: ['agent.step_limit=3'] });
 */
export function stackSpecs({
  agentConfig = [],
  agentModel,
  judgeModel,
  env,
  call = [],
}: {
  agentConfig?: readonly string[];
  agentModel?: string | undefined;
  judgeModel?: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  call?: readonly string[];
}): Spec[] {
  const fromEnv = (env['WEBWRIGHT_CONFIG'] ?? '').split(/[\n;]/).map(spec => spec.trim());
  return [
    ...agentConfig.map(spec => ({ spec, from: 'agentConfig' })),
    ...(agentModel ? [modelSpec({ value: agentModel, key: 'model.model_name', from: 'agentModel' })] : []),
    ...(judgeModel ? [modelSpec({ value: judgeModel, key: 'judge.model.model_name', from: 'judgeModel' })] : []),
    ...fromEnv.filter(spec => spec !== '').map(spec => ({ spec, from: 'WEBWRIGHT_CONFIG' })),
    ...call.map(spec => ({ spec, from: 'call' })),
  ];
}

function modelSpec({ value, key, from }: { value: string; key: string; from: string }): Spec {
  const isFile = /\.ya?ml$/.test(value);
  if (!isFile) return { spec: `${key}=${JSON.stringify(value)}`, from };
  return from === 'judgeModel' ? { spec: value, from, modelInto: 'judge.model' } : { spec: value, from };
}
