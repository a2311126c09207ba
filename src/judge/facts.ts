import type { EvidenceItem } from '../core/evidence.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import type { AnswerValue } from './answer-values.ts';
import type { CheckContext } from './checks/check-kind.ts';
import { isSuspicious } from './suspicious.ts';

/** Places named for one value. */
const maxPlaces = 3;

/**
 * What code can say about an attempt, for the judge, one line each: results of the checks, open tabs, downloads, where the values of the
 * answer stand in recorded texts of pages and files, and which evidence speaks to a judge (reference: benchmarks.md §15 step 1).
 */
export function computedFacts({
  checked,
  context,
  evidence,
  values,
}: {
  checked: readonly ItemVerdict[];
  context: Pick<CheckContext, 'pages' | 'downloads'>;
  evidence: readonly EvidenceItem[];
  values: readonly AnswerValue[];
}): string[] {
  const suspicious = evidence
    .filter(({ text, fields = '', title, url }) => isSuspicious([text, fields, title, url].join('\n')))
    .map(({ id }) => id);
  // Where no page text was recorded, as with imported runs, that a value stands in none says nothing.
  const stated = [...evidence, ...context.downloads].some(({ text }) => text !== '') ? values : [];
  return [
    ...checked.map(({ id, requirement, status, seen }) => `Check ${id} (${requirement}): ${status}; seen: ${oneLine(seen ?? 'nothing')}`),
    `Open tabs at the end: ${context.pages.map(tabName).join(', ') || 'none'}`,
    ...(context.downloads.length > 0
      ? [`Downloads: ${context.downloads.map(({ id, name, bytes }) => `${id} ${name} (${bytes} bytes)`).join(', ')}`]
      : []),
    ...stated.map(({ value, places }) => `The final response states ${value}: ${where(places)}`),
    ...(suspicious.length > 0 ? [`Text that speaks to a judge or poses as a prompt is in: ${suspicious.join(', ')}`] : []),
  ];
}

/** What a check saw may be a whole answer, of which the judge has the text anyhow. */
function oneLine(seen: string): string {
  return seen.length <= 200 ? seen : `${seen.slice(0, 200)}…`;
}

function tabName({ url, title }: { url: string; title: string }): string {
  return `${url || '(address not recorded)'}${title ? ` "${title.slice(0, 100)}"` : ''}`;
}

function where(places: AnswerValue['places']): string {
  if (places.length === 0) return 'it is in no recorded text (an image may still show it, and a sum or a count stands nowhere)';
  const named = places.slice(0, maxPlaces).map(({ id, quote }) => `${id} "${quote}"`);
  return `in the text of ${named.join(', ')}${places.length > maxPlaces ? ` and ${places.length - maxPlaces} more` : ''}`;
}
