import { minSecretLength, type Redact, type Secret, secretsFromEnv } from '../core/redact.ts';
import { isTree } from './merge.ts';

const secretWord = /^(apikey|token|password|passwd|pwd|secrets?|credentials?|authorization|cookie)$/;
const secretPair = /(^|_)(api|access|private)_key(_|$)/;

/**
 * Whether a config key's value is a secret: one of its words is token, password, secret, credentials … (`access_token`,
 * `api_key`), or it is `env`. Keys that count tokens (`budget.tokens`), and those that name a file or an environment
 * variable (`credentials_file`, `api_key_env`), are not.
 */
export function isSecretKey(key: string): boolean {
  const words = key
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  if (words.length === 1 && words[0] === 'env') return true;
  if (['file', 'env'].includes(words.at(-1)!)) return false;
  return words.some(word => secretWord.test(word)) || secretPair.test(words.join('_'));
}

/** A copy of a config tree without any secret key. */
export function withoutSecrets<T>(value: T): T {
  if (Array.isArray(value)) return value.map(withoutSecrets) as T;
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).flatMap(([key, below]) => (isSecretKey(key) ? [] : [[key, withoutSecrets(below)]]))) as T;
}

/** Every secret in a config tree, named by its dotted key, and in an environment, named by its variable. */
export function secretsOf({ config, env }: { config: unknown; env: Readonly<Record<string, string | undefined>> }): Secret[] {
  return [...secretsIn({ value: config, path: [], secret: false }), ...secretsFromEnv(env)];
}

function secretsIn({ value, path, secret }: { value: unknown; path: string[]; secret: boolean }): Secret[] {
  if (typeof value === 'string') return secret && value.length >= minSecretLength ? [{ name: path.join('.'), value }] : [];
  const entries = Array.isArray(value)
    ? value.map((one, index) => [String(index), one] as const)
    : isTree(value)
      ? Object.entries(value)
      : [];
  return entries.flatMap(([key, below]) => secretsIn({ value: below, path: [...path, key], secret: secret || isSecretKey(key) }));
}

/** A config tree without its secrets, by key and by value. */
export function publicTree<T>({ value, redact }: { value: T; redact: Redact }): T {
  return redactTree(withoutSecrets(value), redact);
}

function redactTree<T>(value: T, redact: Redact): T {
  if (typeof value === 'string') return redact(value) as T;
  if (Array.isArray(value)) return value.map(one => redactTree(one, redact)) as T;
  if (!isTree(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, redactTree(below, redact)])) as T;
}
