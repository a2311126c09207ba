import { expect, test } from '@playwright/test';
import { forms, parseActions } from '../../../src/environments/text/language.ts';

const parse = (code: string, { elements = 12, tabs = 2 } = {}) => parseActions({ code, elements, tabs });
const error = (code: string, counts = {}) => {
  const parsed = parse(code, counts);
  return parsed.ok ? '' : parsed.error;
};

for (const [line, action] of [
  ['click 3', { verb: 'click', element: 3 }],
  ['type 1 "blue kettle"', { verb: 'type', element: 1, text: 'blue kettle' }],
  ['type 1 "a \\"b\\" \\\\ \\n c\\u00e9"', { verb: 'type', element: 1, text: 'a "b" \\ \n cé' }],
  ['type 1 "press Enter"', { verb: 'type', element: 1, text: 'press Enter' }],
  ['select 12 "Price, lowest first"', { verb: 'select', element: 12, option: 'Price, lowest first' }],
  ['press Enter', { verb: 'press', key: 'Enter' }],
  ['press Control+Shift+A', { verb: 'press', key: 'Control+Shift+A' }],
  ['press /', { verb: 'press', key: '/' }],
  ['scroll down', { verb: 'scroll', direction: 'down' }],
  ['back', { verb: 'back' }],
  ['tab 2', { verb: 'tab', tab: 2 }],
  ['  wait  ', { verb: 'wait' }],
  ['read', { verb: 'read' }],
] as const) {
  test(`is understood: ${line}`, () => {
    expect(parse(line)).toEqual({ ok: true, lines: [{ ...action, line: line.trim() }] });
  });
}

test('lines keep their order, empty ones do not count', () => {
  const parsed = parse('type 1 "kettle"\r\n\n  press Enter\n');
  expect(parsed.ok && parsed.lines.map(({ line }) => line)).toEqual(['type 1 "kettle"', 'press Enter']);
});

for (const [line, sentence] of [
  ['goto "http://other.example/"', 'unknown action'],
  ['hover 3', 'unknown action'],
  ['Click 3', 'unknown action'],
  ['click(3)', 'unknown action'],
  ['constructor', 'unknown action'],
  ['click', 'write it as: click N'],
  ['click -1', 'write it as: click N'],
  ['click 1 2', 'write it as: click N'],
  ['click 0', 'element 0 does not exist, only 1–12 do'],
  ['click 13', 'element 13 does not exist, only 1–12 do'],
  ['type 13 "x"', 'element 13 does not exist'],
  ['type 1 x', 'write it as: type N "text"'],
  ['type 1 "x', 'write it as: type N "text"'],
  ['type 1 "a" "b"', 'write it as: type N "text"'],
  ['type 1 ""', 'must not be empty; to clear a field'],
  [`type 1 "${'x'.repeat(501)}"`, 'the text has 501 characters; at most 500'],
  ['select 1 ""', 'must not be empty'],
  ['press', 'write it as: press KEY'],
  ['press Return', 'KEY being one character or Enter'],
  ['press Hyper+A', 'KEY being'],
  ['scroll left', 'write it as: scroll up|down'],
  ['back 2', 'write it as: back'],
  ['tab 3', 'tab 3 does not exist, only 1–2 do'],
  ['wait 5', 'write it as: wait'],
] as const) {
  test(`is refused with a sentence: ${line.slice(0, 40)}`, () => {
    expect(error(line)).toContain(`line 1 (${line.slice(0, 80)}): `);
    expect(error(line)).toContain(sentence);
  });
}

test('nothing, too much, and the line that is wrong are named', () => {
  expect(error(' \n ')).toContain('there is no action');
  expect(error('read\n'.repeat(11))).toBe('11 lines are too many: at most 10 in one turn');
  expect(error('click 1\nfly 2')).toMatch(/^line 2 \(fly 2\): unknown action/);
  for (const form of Object.values(forms)) expect(error('fly')).toContain(form);
  expect(error('click 1', { elements: 0 })).toContain('none has a number');
  expect(error('tab 2', { tabs: 1 })).toContain('only 1 does');
});
