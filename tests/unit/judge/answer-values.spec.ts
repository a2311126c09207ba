import { expect, test } from '@playwright/test';
import { answerValues, isAboutAnswer } from '../../../src/judge/answer-values.ts';

const pages = (...texts: string[]) => texts.map((text, index) => ({ id: `e${index + 1}`, text }));
const found = (finalResponse: string, ...texts: string[]) =>
  answerValues({ finalResponse, evidence: pages(...texts) }).map(({ value, places }) =>
    `${value}: ${places.map(({ id }) => id).join(' ')}`.trim(),
  );

test('the place where the words around a value agree comes first', () => {
  const values = answerValues({
    finalResponse: 'The Skerry Kettle costs £24.90.',
    evidence: pages('Skerry Kettle, blue £24.9 in stock', 'Desk lamp £24.90', 'Nothing here', 'Order total 24.90'),
  });
  expect(values).toHaveLength(1);
  expect(values[0]).toMatchObject({ value: '£24.90', places: [{ id: 'e1', quote: 'Skerry Kettle, blue £24.9 in stock' }, {}, {}] });
  expect(values[0]!.places.map(({ id }) => id)).toEqual(['e1', 'e2', 'e4']);
});

const cases: [name: string, answer: string, texts: string[], expected: string[]][] = [
  ['near misses are no places', '£24.90', ['£24.80', '£124.90', '£2.490'], ['£24.90:']],
  ['thousands and decimals are compared as numbers', 'It has 1,249 reviews.', ['1249 reviews'], ['1,249 reviews: e1']],
  [
    'small numbers count only with their unit',
    'It takes 3 packs.',
    ['3 kettles in the list', '1 pack', '3 packs of five'],
    ['3 packs: e3'],
  ],
  ['small numbers that no page has with this unit are left out', 'Here are 3 of them.', ['3 kettles'], []],
  ['marks of a list are no values', '1. Skerry\n2. Heron', ['1 2 3'], []],
  ['codes', 'Order CB-1001 is placed.', ['Order number CB-1001', 'CB-10011'], ['"CB-1001": e1']],
  [
    'quoted names that a page has; keys of JSON are none',
    '{"name": "Skerry Kettle", "total": 33.85}',
    ['Skerry Kettle 33.85'],
    ['33.85: e1', '"Skerry Kettle": e1'],
  ],
  ['the newest of equal places first', 'It is 379 pages long.', ['379 pages', '379 pages'], ['379 pages: e2 e1']],
  ['nothing to find', 'Done.', ['Done.'], []],
];
for (const [name, answer, texts, expected] of cases) {
  test(`values: ${name}`, () => {
    expect(found(answer, ...texts)).toEqual(expected);
  });
}

test('a requirement about the answer is told from others', () => {
  for (const requirement of ['The answer gives the price.', 'The final response names the book', 'The agent reports the total'])
    expect(isAboutAnswer({ requirement }), requirement).toBe(true);
  for (const requirement of ['The filter is on', 'Two packs are ordered', 'The order is placed', 'The cookie question was answered'])
    expect(isAboutAnswer({ requirement })).toBe(false);
});
