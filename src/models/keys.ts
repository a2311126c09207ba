import { WebwrightError } from '../core/errors.ts';

/** Which wire protocol a model speaks. */
export type ModelClass = 'openai' | 'anthropic' | 'chat';

/** Where each protocol goes when no base URL is set; `chat` means OpenRouter, which serves most models under one key. */
export const defaultBaseUrls: Record<ModelClass, string> = {
  openai: 'https://api.openai.com/v1',
  anthropic: 'https://api.anthropic.com',
  chat: 'https://openrouter.ai/api/v1',
};

/** Variables by host. A key is only ever sent to the host it belongs to. */
const variablesByHost = new Map([
  ['api.openai.com', 'OPENAI_API_KEY'],
  ['api.anthropic.com', 'ANTHROPIC_API_KEY'],
  ['openrouter.ai', 'OPENROUTER_API_KEY'],
  ['api.z.ai', 'ZAI_API_KEY'],
  ['open.bigmodel.cn', 'ZAI_API_KEY'],
  ['api.deepseek.com', 'DEEPSEEK_API_KEY'],
  ['api.groq.com', 'GROQ_API_KEY'],
  ['api.mistral.ai', 'MISTRAL_API_KEY'],
  ['api.together.xyz', 'TOGETHER_API_KEY'],
  ['api.x.ai', 'XAI_API_KEY'],
  ['generativelanguage.googleapis.com', 'GEMINI_API_KEY'],
]);

/**
 * The environment variable that holds the key of an endpoint. Hosts that are not known: `OPENAI_API_KEY` and
 * `ANTHROPIC_API_KEY` for their own protocols, `MODEL_API_KEY` for chat completions.
 *
 * @example
 * keyVariable({ modelClass: 'chat', baseUrl: 'https://openrouter.ai/api/v1' }); // 'OPENROUTER_API_KEY'
 */
export function keyVariable({ modelClass, baseUrl = defaultBaseUrls[modelClass] }: { modelClass: ModelClass; baseUrl?: string }): string {
  const own = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY', chat: 'MODEL_API_KEY' }[modelClass];
  return variablesByHost.get(new URL(baseUrl).hostname) ?? own;
}

/**
 * The base URL as the SDKs want it: the configured one, else `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL` for their protocols, else the
 * provider's own. A whole endpoint address (`…/v1/responses`, `…/chat/completions`, `…/v1/messages`) is cut back. Throws
 * CONFIG_INVALID for what is no HTTP address.
 */
export function baseUrlFor({
  modelClass,
  baseUrl: configured,
  env,
}: {
  modelClass: ModelClass;
  baseUrl: string | undefined;
  env: Record<string, string | undefined>;
}): string {
  const variable = { openai: 'OPENAI_BASE_URL', anthropic: 'ANTHROPIC_BASE_URL', chat: '' }[modelClass];
  const baseUrl = configured || env[variable]?.trim() || defaultBaseUrls[modelClass];
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl)) {
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: 'model.base_url is no HTTP address',
      seen: baseUrl.slice(0, 200),
      remedy: `for example model.base_url=${defaultBaseUrls[modelClass]}`,
    });
  }
  const endpoint = { openai: /\/responses$/, anthropic: /(\/v1)?(\/messages)?$/, chat: /\/chat\/completions$/ }[modelClass];
  return baseUrl.replace(/\/+$/, '').replace(endpoint, '');
}

/** True for addresses of this machine, where model servers (Ollama, vLLM) want no key. */
export function isLoopback(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl);
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname);
}

/**
 * The key to send: the configured one, else the one in the configured variable, else in the endpoint's own, else none on
 * loopback (empty string). The endpoint's own variable is never sent to loopback. Throws MODEL_KEY, naming the variable, where a
 * key is needed and missing.
 */
export function keyFor({
  modelName,
  baseUrl,
  apiKey,
  apiKeyEnv,
  ownVariable,
  env,
}: {
  modelName: string;
  baseUrl: string;
  apiKey: string | undefined;
  apiKeyEnv: string | undefined;
  /** See {@link keyVariable}. */
  ownVariable: string;
  env: Record<string, string | undefined>;
}): string {
  if (apiKey?.trim()) return apiKey.trim();
  if (apiKeyEnv === undefined && isLoopback(baseUrl)) return '';
  const variable = apiKeyEnv ?? ownVariable;
  const key = env[variable]?.trim();
  if (key) return key;
  throw new WebwrightError({
    code: 'MODEL_KEY',
    what: `No API key for model ${modelName} at ${shownUrl(baseUrl)}`,
    seen: `${variable} is ${env[variable] === undefined ? 'not set' : 'empty'}`,
    remedy: `export ${variable}=…   (or set model.api_key_env to the variable that holds it; a server on this machine needs none)`,
  });
}

/** A base URL as errors show it: without user name, password, query and fragment. */
export function shownUrl(baseUrl: string): string {
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname === '/' ? '' : pathname}`;
}
