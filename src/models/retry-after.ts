/**
 * How long an endpoint asks to wait, in ms: `retry-after-ms`, or `retry-after` in seconds or as an HTTP date (RFC 9110 §10.2.3).
 * Undefined where there is no header or it makes no sense (negative, not a time): the caller's own back-off applies.
 *
 * @example
 * retryAfterMs({ headers: new Headers({ 'retry-after': '2' }), now: 0 }); // 2000
 */
export function retryAfterMs({ headers, now }: { headers: Headers; now: number }): number | undefined {
  const ms = headers.get('retry-after-ms')?.trim();
  if (ms && /^\d+(\.\d+)?$/.test(ms)) return Math.ceil(Number(ms));
  const value = headers.get('retry-after')?.trim();
  if (!value) return undefined;
  if (/^\d+(\.\d+)?$/.test(value)) return Math.ceil(Number(value) * 1_000);
  // Only the date form of the RFC: Date.parse would read "-5" as a month.
  const date = /^[A-Z][a-z]{2},? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
