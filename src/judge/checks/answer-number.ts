import { z } from 'zod';
import { checkKind, commonFields, show } from './check-kind.ts';
import { hasUnit, numbersIn } from './numbers.ts';

/**
 * The final response states a number within `tolerance` (absolute, default 0) and no other candidate: with `unit` the numbers with that
 * unit are candidates, without it all numbers are, so that an answer which lists every number cannot pass.
 */
export const answerNumberCheck = checkKind({
  kind: 'answer-number',
  schema: z.strictObject({
    ...commonFields,
    kind: z.literal('answer-number'),
    value: z.number(),
    tolerance: z.number().min(0).default(0),
    unit: z.string().trim().min(1).optional(),
  }),
  requirement: ({ value, tolerance, unit }) => `the answer is ${value}${tolerance > 0 ? ` ± ${tolerance}` : ''}${unit ? ` ${unit}` : ''}`,
  run: ({ check: { value, tolerance, unit }, context: { finalResponse } }) => {
    const all = numbersIn(finalResponse);
    const candidates = unit === undefined ? all : all.filter(found => hasUnit({ found, unit }));
    // Binary fractions: 24.9 - 24.8 is not 0.1; one part in 10^12 covers it.
    const near = (candidate: number) => Math.abs(candidate - value) <= tolerance + Math.max(1, Math.abs(value)) * 1e-12;
    const others = [...new Set(candidates.map(found => found.value))].filter(candidate => !near(candidate));
    const found = candidates.some(candidate => near(candidate.value));
    const hint = unit === undefined ? '; name a unit in the check to tell them apart' : '';
    return {
      pass: found && others.length === 0,
      expected: `${value}${tolerance > 0 ? ` ± ${tolerance}` : ''}${unit ? ` ${unit}` : ''}`,
      seen: show(finalResponse) || '(no answer)',
      evidence: ['final response'],
      ...(found && others.length > 0 ? { reason: `the answer also states ${others.slice(0, 5).join(', ')}${hint}` } : {}),
      ...(candidates.length === 0 ? { reason: `the answer states no number${unit ? ` with the unit ${unit}` : ''}` } : {}),
    };
  },
});
