import type { EvidenceItem } from '../core/evidence.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import type { CheckContext } from './checks/check-kind.ts';
import { numbersIn } from './checks/numbers.ts';
import { containsPhrase } from './checks/text-match.ts';
import { isSuspicious } from './suspicious.ts';

/**
 * What code can say about an attempt, for the judge, one line each: results of the checks, open tabs, downloads, where the numbers of the
 * answer stand in recorded page texts, and which evidence speaks to a judge (reference: benchmarks.md §15 step 1).
 */
export function computedFacts({
  checked,
  context,
  evidence,
}: {
  checked: readonly ItemVerdict[];
  context: Pick<CheckContext, 'pages' | 'downloads' | 'finalResponse'>;
  evidence: readonly EvidenceItem[];
}): string[] {
  const own = evidence.filter(({ source }) => source === 'harness');
  const numbers = [...new Set(numbersIn(context.finalResponse).map(({ raw }) => raw))].slice(0, 20);
  const suspicious = evidence
    .filter(({ text, fields = '', title, url }) => isSuspicious([text, fields, title, url].join('\n')))
    .map(({ id }) => id);
  return [
    ...checked.map(({ id, requirement, status, seen }) => `Check ${id} (${requirement}): ${status}; seen: ${seen ?? 'nothing'}`),
    `Open tabs at the end: ${context.pages.map(({ url, title }) => `${url} "${title.slice(0, 100)}"`).join(', ') || 'none'}`,
    ...(context.downloads.length > 0
      ? [`Downloads: ${context.downloads.map(({ name, bytes }) => `${name} (${bytes} bytes)`).join(', ')}`]
      : []),
    ...numbers.map(raw => {
      const places = own.filter(({ text }) => containsPhrase({ text, phrase: raw })).map(({ id }) => id);
      const where =
        places.length > 0 ? `the page text of ${places.slice(0, 10).join(', ')}` : 'no recorded page text (an image may still show it)';
      return `The number ${raw} of the final response is in ${where}`;
    }),
    ...(suspicious.length > 0 ? [`Text that speaks to a judge or poses as a prompt is in: ${suspicious.join(', ')}`] : []),
  ];
}
