/**
 * Runs `work` over `items`, at most `limit` at a time, results in the order of the items. When one fails, no further item is
 * started, those under way are told through their signal and waited for, and the first failure is thrown.
 */
export async function mapLimited<T, R>({
  items,
  limit,
  signal,
  work,
}: {
  items: readonly T[];
  limit: number;
  signal: AbortSignal;
  work: (item: T, options: { index: number; signal: AbortSignal }) => Promise<R>;
}): Promise<R[]> {
  const stop = new AbortController();
  const combined = AbortSignal.any([signal, stop.signal]);
  const results = new Array<R>(items.length);
  let failure: { error: unknown } | undefined;
  let next = 0;
  const lane = async () => {
    while (next < items.length && !combined.aborted) {
      const index = next++;
      try {
        results[index] = await work(items[index]!, { index, signal: combined });
      } catch (error) {
        // Later failures are mostly the echo of the first.
        failure ??= { error };
        stop.abort(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, lane));
  if (failure) throw failure.error;
  signal.throwIfAborted();
  return results;
}
