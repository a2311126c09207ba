import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';
import { plainAnswer } from './text-match.ts';

/** The whole final response is this text, or one of several. Letter case, white space, one pair of quotes and a closing full stop are not compared. */
export const answerEqualsCheck = checkKind({
  kind: 'answer-equals',
  schema: z
    .strictObject({
      ...commonFields,
      kind: z.literal('answer-equals'),
      text: z.string().trim().min(1).optional(),
      anyOf: z.array(z.string().trim().min(1)).min(1).optional(),
    })
    .refine(check => (check.text === undefined) !== (check.anyOf === undefined), 'needs either text or anyOf'),
  requirement: ({ text, anyOf }) => `the answer is ${(anyOf ?? [text!]).map(value => `"${value}"`).join(' or ')}`,
  run: ({ check: { text, anyOf }, context: { finalResponse } }) => {
    const wanted = anyOf ?? [text!];
    return {
      pass: wanted.some(value => plainAnswer(value) === plainAnswer(finalResponse)),
      expected: wanted.map(value => `"${value}"`).join(' or '),
      seen: show(finalResponse) || '(no answer)',
      evidence: ['final response'],
    };
  },
});
