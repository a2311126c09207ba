import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';
import { isOnHost } from './host.ts';

/** A tab on the host is open at the end; `pathIncludes` is looked for in path and query. */
export const tabOpenCheck = checkKind({
  kind: 'tab-open',
  schema: z.strictObject({
    ...commonFields,
    kind: z.literal('tab-open'),
    host: z.string().min(1),
    pathIncludes: z.string().min(1).optional(),
  }),
  requirement: ({ host, pathIncludes }) => `a tab on ${host}${pathIncludes ? ` with ${pathIncludes}` : ''} is open at the end`,
  run: ({ check: { host, pathIncludes }, context: { pages } }) => {
    const found = pages.find(
      ({ url }) => isOnHost({ url, host }) && (pathIncludes === undefined || pathAndQuery(url).includes(pathIncludes)),
    );
    return {
      pass: found !== undefined,
      expected: `${host}${pathIncludes ? ` … ${pathIncludes}` : ''}`,
      seen: show(found?.url ?? (pages.map(({ url }) => url).join(', ') || 'no open tab')),
      evidence: ['open tabs'],
    };
  },
});

function pathAndQuery(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
