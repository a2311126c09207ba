import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';
import { isOnHost } from './host.ts';
import { containsPhrase, plain } from './text-match.ts';

/** Text of an element in an open tab; `host` narrows the tabs. Letter case and white space are not compared. */
export const pageTextCheck = checkKind({
  kind: 'page-text',
  schema: z
    .strictObject({
      ...commonFields,
      kind: z.literal('page-text'),
      host: z.string().min(1).optional(),
      selector: z.string().min(1),
      includes: z.string().min(1).optional(),
      equals: z.string().optional(),
    })
    .refine(check => (check.includes === undefined) !== (check.equals === undefined), 'needs either includes or equals'),
  requirement: ({ host, selector, includes, equals }) =>
    `${selector}${host ? ` on ${host}` : ''} ${equals === undefined ? `includes "${includes}"` : `is "${equals}"`}`,
  run: async ({ check: { host, selector, includes, equals }, context }) => {
    const expected = equals === undefined ? `includes "${includes}"` : `"${equals}"`;
    const pages = context.pages.filter(page => host === undefined || isOnHost({ url: page.url, host }));
    if (pages.length === 0) {
      const seen = `open tabs: ${context.pages.map(page => page.url).join(', ') || 'none'}`;
      return { pass: false, expected, seen: show(seen), evidence: [], reason: host ? `no open tab on ${host}` : 'no open tab' };
    }
    const texts: string[] = [];
    for (const page of pages) texts.push(...(await page.texts(selector)));
    const matches = (text: string) => (equals === undefined ? containsPhrase({ text, phrase: includes! }) : plain(text) === plain(equals));
    const evidence = pages.map(page => `${selector} at ${page.url}`);
    if (texts.length === 0) return { pass: false, expected, seen: 'no such element', evidence, reason: `no element matches ${selector}` };
    return { pass: texts.some(matches), expected, seen: show(texts.find(matches) ?? texts.join(' | ')), evidence };
  },
});
