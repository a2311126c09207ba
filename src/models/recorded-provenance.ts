import type { Provenance } from './recording-file-schema.ts';

/** How the replies that are being recorded come about. `endpoint` is its kind, never an address. */
export type NewProvenance = { source: 'live'; endpoint: string; date: string } | { source: 'scripted'; by: string; date: string };

/**
 * The provenance of a recording to which replies are added. It never looks more live than its least live part.
 *
 * @example
 * mergedProvenance({ before: null, now: { source: 'live', endpoint: 'openai', date: '2026-11-30' }, models: ['gpt-5.4'] });
 */
export function mergedProvenance({
  before,
  now,
  models,
}: {
  before: Provenance | null;
  now: NewProvenance;
  models: readonly string[];
}): Provenance {
  const { date } = now;
  if (now.source === 'live') {
    if (before?.source === 'scripted') return { ...before, by: authors(before.by, `added from ${now.endpoint}`), date };
    const names = new Set([...(before?.model.split(', ') ?? []), ...models]);
    return { source: 'live', model: [...names].join(', '), endpoint: now.endpoint, date };
  }
  if (!before) return { source: 'scripted', by: now.by, date };
  if (before.source === 'live') return { source: 'scripted', by: now.by, date, editedFrom: before };
  return { ...before, by: authors(before.by, now.by), date };
}

function authors(before: string, now: string): string {
  return before.split('; ').includes(now) ? before : `${before}; ${now}`;
}
