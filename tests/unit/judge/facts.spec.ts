import { expect, test } from '@playwright/test';
import { answerValues } from '../../../src/judge/answer-values.ts';
import { computedFacts } from '../../../src/judge/facts.ts';
import { evidence as item } from './judging.ts';

test('of an imported run without addresses and page texts no fact is claimed about them', async ({}, info) => {
  const facts = (texts: string[]) => {
    const evidence = texts.map((text, index) => ({ ...item(info.outputDir, `e${index + 1}`), text }));
    const values = answerValues({ finalResponse: 'It is rated 4.7 out of 5.', evidence });
    const pages = [{ url: '', title: '', text: '', current: false, texts: async () => [] }];
    return computedFacts({ checked: [], context: { pages, downloads: [] }, evidence, values });
  };
  expect(facts(['', ''])).toEqual(['Open tabs at the end: (address not recorded)']);
  expect(facts(['A kettle', '']).at(-1)).toBe(
    'The final response states 4.7: it is in no recorded text (an image may still show it, and a sum or a count stands nowhere)',
  );
});
