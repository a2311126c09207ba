/** Where Node's `fetch` keeps what opens its connections; set when it is first used. */
const key = Symbol.for('undici.globalDispatcher.1');

type Dispatcher = new (options: { headersTimeout: number; bodyTimeout: number }) => object;

/**
 * A `fetch` that gives up after `silenceMs` without headers or between two pieces of a body; 0: never by itself, so that deadlines of the
 * caller decide. Node's own gives up after 300 s, which no option of `fetch` changes and slow models need more than. A process that has
 * put in connections of its own (a proxy from the environment) keeps them.
 *
 * @example
 * const response = await fetchWithin({ silenceMs: 0 })('http://127.0.0.1:11434/v1/models', { signal: AbortSignal.timeout(900_000) });
 */
export function fetchWithin({ silenceMs }: { silenceMs: number }): typeof globalThis.fetch {
  let own: Promise<object> | undefined;
  return async (input, init) => {
    own ??= connections(silenceMs);
    return fetch(input, { ...init, ...(await own) });
  };
}

async function connections(silenceMs: number): Promise<object> {
  const shared = () => (globalThis as Record<symbol, unknown>)[key] as { constructor: Dispatcher } | undefined;
  if (!shared()) await fetch('data:,');
  const Agent = shared()?.constructor;
  return Agent?.name === 'Agent' ? { dispatcher: new Agent({ headersTimeout: silenceMs, bodyTimeout: silenceMs }) } : {};
}
