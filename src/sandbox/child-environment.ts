import { WebwrightError } from '../core/errors.ts';

/** Names under which the keys of model providers, and of the browser's, travel; a command must never have one (DESIGN §5: no child holds a model key). */
const modelKeyName =
  /^(OPENAI|ANTHROPIC|OPENROUTER|ZHIPUAI|DASHSCOPE|GEMINI|GOOGLE|MISTRAL|GROQ|DEEPSEEK|XAI|TOGETHER|AZURE_OPENAI|BROWSERBASE|WEBWRIGHT_\w+)_(API_)?(KEY|TOKEN)$/i;

/**
 * The environment of a command: what is named here and nothing else (Webwright D24). Refuses a model key among the task's own
 * variables, by its name or because its value is one that the harness itself uses.
 *
 * @example
 * childEnvironment({ base: { PATH: '/usr/bin' }, own: { SHOP_USER: 'mia' }, modelKeys: [] }); // { PATH: '/usr/bin', SHOP_USER: 'mia' }
 */
export function childEnvironment({
  base,
  own,
  modelKeys,
}: {
  /** Set by the harness; wins over `own`. */
  base: Record<string, string>;
  /** `environment.env` and the credentials file. */
  own: Record<string, string>;
  /** Values that are model keys in this process. */
  modelKeys: string[];
}): Record<string, string> {
  for (const [name, value] of Object.entries(own)) {
    const isKey = modelKeyName.test(name) || modelKeys.some(key => key.length > 0 && value.includes(key));
    if (isKey) refuse({ name, why: 'holds a model key, and commands written by a model must not have one' });
    if (!/^[A-Za-z_]\w*$/.test(name) || value.includes('\0')) refuse({ name, why: 'is not a valid environment variable' });
    if (name in base) refuse({ name, why: 'is set by the harness' });
  }
  return { ...own, ...base };
}

function refuse({ name, why }: { name: string; why: string }): never {
  throw new WebwrightError({
    code: 'CONFIG_INVALID',
    what: `The environment variable ${JSON.stringify(name)} ${why}`,
    seen: `environment.env or the credentials file sets ${JSON.stringify(name)}`,
    remedy: 'remove it there; the harness asks models itself, and scripts get what they need through the browser endpoint',
  });
}

/** Values of the model keys that this process can see, for {@link childEnvironment}. */
export function modelKeysIn(env: Record<string, string | undefined>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (modelKeyName.test(name) && value ? [value] : []));
}
