/** A call of ours did not answer in time. */
export class DeadlineError extends Error {
  override name = 'DeadlineError';
}

/**
 * The promise's value, or a {@link DeadlineError} after `timeoutMs`. The call itself is not cancelled; its late result and
 * late error are dropped. Every call to a page goes through this, since a hung renderer ignores Playwright's own timeouts.
 *
 * @example
 * await within({ promise: page.title(), timeoutMs: 1_000, what: 'title' });
 */
export function within<T>({ promise, timeoutMs, what }: { promise: Promise<T>; timeoutMs: number; what: string }): Promise<T> {
  promise.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(`${what} did not answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/** Like {@link within}, with a value instead of any error. */
export function withinOr<T, F>(options: { promise: Promise<T>; timeoutMs: number; otherwise: F }): Promise<T | F> {
  return within({ ...options, what: 'call' }).catch(() => options.otherwise);
}
