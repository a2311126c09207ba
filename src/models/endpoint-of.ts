import { WebwrightError } from '../core/errors.ts';
import type { Model } from '../core/model.ts';
import type { Redact } from '../core/redact.ts';
import { createEndpointModel, type EndpointEvent } from './endpoint.ts';
import type { PriceOf } from './prices.ts';
import type { ReasoningEffort } from './wire.ts';

/** What the config says about a model, under the config's own names; seconds are seconds. */
export interface EndpointSettings {
  model_class: string;
  model_name: string | null;
  base_url: string | null;
  api_key: string | null;
  api_key_env: string | null;
  max_output_tokens: number;
  reasoning_effort: ReasoningEffort | null;
  temperature: number | null;
  seed: number | null;
  request_timeout_seconds: number;
  total_timeout_seconds: number;
  image_max_edge_px: number;
}

/**
 * The model behind the configured endpoint. Throws CONFIG_INVALID for a class that is no endpoint and for a missing name, MODEL_KEY for a
 * missing key.
 *
 * @example
 * const judge = endpointOf({ settings: judgeEndpoint(config).endpoint, redact, priceOf: () => null, onEvent: () => {} });
 */
export function endpointOf({
  settings,
  cacheKey,
  env,
  redact,
  priceOf,
  onEvent,
}: {
  settings: EndpointSettings;
  /** Same for all calls that share a prompt, so that OpenAI routes them to the same cache. */
  cacheKey?: string;
  env?: Record<string, string | undefined>;
  redact: Redact;
  priceOf: PriceOf;
  onEvent: (event: EndpointEvent) => void;
}): Model {
  const { model_class: modelClass, model_name: modelName } = settings;
  if (modelClass !== 'openai' && modelClass !== 'anthropic' && modelClass !== 'chat') {
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: 'This model class cannot be called here',
      seen: `model_class: ${modelClass}`,
      remedy: 'openai, anthropic or chat; or pass a Model: test.use({ agentModel: scripted([...]) })',
    });
  }
  if (!modelName)
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: 'No model is named',
      seen: 'model.model_name: null',
      remedy: "agentConfig: ['model.model_name=<id of your model>']",
    });
  return createEndpointModel({
    modelClass,
    modelName,
    ...(settings.base_url === null ? {} : { baseUrl: settings.base_url }),
    ...(settings.api_key === null ? {} : { apiKey: settings.api_key }),
    ...(settings.api_key_env === null ? {} : { apiKeyEnv: settings.api_key_env }),
    maxOutputTokens: settings.max_output_tokens,
    ...(settings.reasoning_effort === null ? {} : { reasoningEffort: settings.reasoning_effort }),
    ...(settings.temperature === null ? {} : { temperature: settings.temperature }),
    ...(settings.seed === null ? {} : { seed: settings.seed }),
    attemptTimeoutMs: settings.request_timeout_seconds * 1000,
    totalTimeoutMs: settings.total_timeout_seconds * 1000,
    imageMaxEdgePx: settings.image_max_edge_px,
    ...(cacheKey === undefined ? {} : { cacheKey }),
    ...(env === undefined ? {} : { env }),
    redact,
    priceOf,
    onEvent,
  });
}
