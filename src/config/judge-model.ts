import type { Config, ModelConfig } from './schema/index.ts';

/** What it takes to make a model, the agent's or the judges'. */
export type EndpointConfig = Omit<ModelConfig, 'observation_template' | 'format_error_template' | 'attach_observation_screenshot'>;

/**
 * The endpoint and model of the judges: the agent's, with whatever `judge.model` sets over it. A judge with a protocol or
 * address of its own takes no address and no key from the agent, so that no key is ever sent to another provider.
 *
 * @example
 * judgeEndpoint(config).same; // true unless judge.model says otherwise
 */
export function judgeEndpoint({ model, judge }: Pick<Config, 'model' | 'judge'>): { endpoint: EndpointConfig; same: boolean } {
  const { observation_template: _o, format_error_template: _f, attach_observation_screenshot: _a, ...agent } = model;
  const own = Object.fromEntries(
    Object.entries(judge.model).filter(([, value]) => value !== null && value !== undefined),
  ) as Partial<EndpointConfig>;
  const elsewhere = 'model_class' in own || 'base_url' in own;
  const ground: EndpointConfig = elsewhere ? { ...agent, base_url: null, api_key: null, api_key_env: null } : agent;
  const endpoint = { ...ground, ...own };
  const same =
    endpoint.model_class === agent.model_class && endpoint.base_url === agent.base_url && endpoint.model_name === agent.model_name;
  return { endpoint, same };
}
