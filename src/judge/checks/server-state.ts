import { isDeepStrictEqual } from 'node:util';
import { compile, search } from '@jmespath-community/jmespath';
import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';

type Json = Parameters<typeof search>[0];

/**
 * A JMESPath query over the state of an embedded site's server equals a JSON value; no type is converted, so `"1"` is not `1`.
 *
 * @example
 * { id: 'C1', kind: 'server-state', site: 'shop', query: 'cart[].sku', equals: ['kettle-blue'] }
 */
export const serverStateCheck = checkKind({
  kind: 'server-state',
  schema: z.strictObject({
    ...commonFields,
    kind: z.literal('server-state'),
    site: z.string().min(1),
    query: z.string().min(1).refine(isQuery, 'is not a JMESPath expression'),
    equals: z.json(),
  }),
  requirement: ({ site, query, equals }) => `on the server of ${site}, ${query} is ${show(equals)}`,
  run: ({ check: { site, query, equals }, context }) => {
    const expected = show(equals);
    const evidence = [`state of ${site}`];
    const state = context.state?.(site);
    if (state === undefined)
      return { pass: false, expected, seen: 'no such site', evidence: [], reason: `no server state for site "${site}"` };
    // A copy as JSON: the query sees what a client would, and nothing it does can reach the server.
    const value: unknown = search(JSON.parse(JSON.stringify(state)) as Json, query);
    return { pass: isDeepStrictEqual(plainJson(value), plainJson(equals)), expected, seen: show(value), evidence };
  },
});

function isQuery(query: string): boolean {
  try {
    compile(query);
    return true;
  } catch {
    return false;
  }
}

function plainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value) ?? 'null');
}
