import type { Config } from './schema/index.ts';

/**
 * Template variables that come from the configuration itself: the simple values of `agent:` and `environment:` under their
 * own names, and `model_name`. What an environment or a run says under the same name goes over them.
 *
 * @example
 * renderTemplate({ name: 'agent.system_template', template: config.agent.system_template, vars: { ...promptVars(config), task } });
 */
export function promptVars({ agent, environment, model }: Config): Record<string, unknown> {
  const { env: _env, credentials_file: _file, sandbox: _sandbox, allow: _allow, ...environmentVars } = environment;
  const agentVars = Object.fromEntries(Object.entries(agent).filter(([key]) => !/_template$|_prompt$/.test(key)));
  return { ...environmentVars, ...agentVars, model_name: model.model_name ?? '' };
}
