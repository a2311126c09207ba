import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';
import { containsPhrase } from './text-match.ts';

/** The final response contains a phrase (or one of several) as whole words, and none of `excludes`, the competing candidates. */
export const answerIncludesCheck = checkKind({
  kind: 'answer-includes',
  schema: z
    .strictObject({
      ...commonFields,
      kind: z.literal('answer-includes'),
      text: z.string().trim().min(1).optional(),
      anyOf: z.array(z.string().trim().min(1)).min(1).optional(),
      excludes: z.array(z.string().trim().min(1)).default([]),
    })
    .refine(check => (check.text === undefined) !== (check.anyOf === undefined), 'needs either text or anyOf'),
  requirement: ({ text, anyOf, excludes }) =>
    `the answer includes ${quoted(anyOf ?? [text!])}${excludes.length > 0 ? `, not ${quoted(excludes)}` : ''}`,
  run: ({ check: { text, anyOf, excludes }, context: { finalResponse } }) => {
    const wanted = anyOf ?? [text!];
    const found = wanted.filter(phrase => containsPhrase({ text: finalResponse, phrase }));
    const competing = excludes.filter(phrase => containsPhrase({ text: finalResponse, phrase }));
    return {
      pass: found.length > 0 && competing.length === 0,
      expected: quoted(wanted),
      seen: show(finalResponse) || '(no answer)',
      evidence: ['final response'],
      ...(competing.length > 0 ? { reason: `the answer also names ${quoted(competing)}` } : {}),
    };
  },
});

function quoted(phrases: readonly string[]): string {
  return phrases.map(phrase => `"${phrase}"`).join(' or ');
}
