import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';

/** A request reached an embedded site's server, or (`not: true`) never did. The path includes the query. */
export const requestSeenCheck = checkKind({
  kind: 'request-seen',
  schema: z.strictObject({
    ...commonFields,
    kind: z.literal('request-seen'),
    site: z.string().min(1),
    method: z.string().min(1).optional(),
    pathIncludes: z.string().min(1),
    not: z.boolean().default(false),
  }),
  requirement: ({ site, method, pathIncludes, not }) =>
    `${site} received ${not ? 'no' : 'a'} ${method ?? ''} request with ${pathIncludes}`.replace('  ', ' '),
  run: ({ check: { site, method, pathIncludes, not }, context }) => {
    const expected = `${not ? 'no ' : ''}${method?.toUpperCase() ?? 'any method'} …${pathIncludes}…`;
    const requests = context.requests?.(site);
    if (requests === undefined)
      return { pass: false, expected, seen: 'no such site', evidence: [], reason: `no request log for site "${site}"` };
    const found = requests.filter(
      request => request.path.includes(pathIncludes) && (method === undefined || request.method.toUpperCase() === method.toUpperCase()),
    );
    const list = (items: typeof requests) => items.map(request => `${request.method} ${request.path}`).join(', ');
    return {
      pass: not ? found.length === 0 : found.length > 0,
      expected,
      seen: show(list(found) || (requests.length === 0 ? 'no request at all' : `none such among ${requests.length} requests`)),
      evidence: [`request log of ${site}`],
    };
  },
});
