import { expect, test } from '@playwright/test';
import { chooseElements, elementLine, type NumberedElement } from '../../../src/environments/text/numbering.ts';
import { trailText } from '../../../src/environments/text/trail.ts';

const element = (more: Partial<NumberedElement>): NumberedElement => ({
  role: 'button',
  name: 'Buy',
  states: [],
  far: 0,
  disabled: false,
  frame: 0,
  index: 0,
  inside: '',
  ...more,
});

for (const [line, number, more] of [
  ['[3] button "Buy"', 3, {}],
  ['[-] button "Buy" (disabled)', null, { states: ['disabled'], disabled: true }],
  [
    '[1] textbox (no name) = "" (placeholder "Search", focused)',
    1,
    { role: 'textbox', name: '', value: '', placeholder: 'Search', states: ['focused'] },
  ],
  ['[2] checkbox "say \\"hi\\"" (checked, in frame "pay")', 2, { role: 'checkbox', name: 'say "hi"', states: ['checked'], inside: 'pay' }],
  [
    '[4] combobox "Sort" = "Name" options: "Name" "Price"',
    4,
    { role: 'combobox', name: 'Sort', value: 'Name', options: ['Name', 'Price'] },
  ],
] as const) {
  test(`an element reads: ${line}`, () => {
    expect(elementLine({ element: element(more as Partial<NumberedElement>), number })).toBe(line);
  });
}

test('of a long list of options the rest is counted', () => {
  expect(elementLine({ element: element({ options: Array.from({ length: 40 }, (_, n) => `${n}`) }), number: 1 })).toMatch(
    /"11" … 28 more$/,
  );
});

test('what does not fit is left out from far away, and the order of the page stays', () => {
  const elements = [900, 0, 5_000, 10].map((far, index) => element({ name: `B${index}`, far, index }));
  const { shown, omitted } = chooseElements({ elements, chars: 55 });
  expect(shown.map(({ name }) => name)).toEqual(['B0', 'B1', 'B3']);
  expect(omitted).toBe(1);
  expect(chooseElements({ elements: Array.from({ length: 400 }, (_, index) => element({ index })), chars: 1e6 }).shown).toHaveLength(150);
});

test('the trail says what numbers stood for, and what failed', () => {
  expect(
    trailText([
      { step: 1, url: 'http://shop.localhost/', line: 'type 1 "kettle"', label: 'textbox "Search"' },
      { step: 1, url: 'http://shop.localhost/', line: 'press Enter' },
      { step: 3, url: 'http://shop.localhost/?q=kettle', line: 'click 4', label: 'button "Buy"', problem: 'ElementVanished: …' },
    ]),
  ).toBe(`Step 1 at http://shop.localhost/
  type 1 "kettle" → textbox "Search"
  press Enter
Step 3 at http://shop.localhost/?q=kettle
  click 4 → button "Buy": failed: ElementVanished: …`);
});
