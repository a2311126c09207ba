/**
 * The JSON object that is the whole reply; one surrounding code fence is tolerated, prose around it is not, because an
 * object quoted from a page must never become a verdict. Null when there is none.
 *
 * @example
 * parseWholeJson('```json\n{"status":"failure"}\n```'); // { status: 'failure' }
 */
export function parseWholeJson(reply: string): Record<string, unknown> | null {
  const text = withoutCodeFence(reply);
  if (!text.startsWith('{') || !text.endsWith('}')) return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The reply without a code fence that encloses all of it. */
export function withoutCodeFence(reply: string): string {
  const text = reply.trim();
  const fenced = /^(`{3,}|~{3,})[^\n`]*\n([\s\S]*?)\n?[ \t]*\1$/.exec(text);
  return fenced ? fenced[2]!.trim() : text;
}
