import { expect, test } from '@playwright/test';
import { parseTurn } from '../../../src/agent/parse-turn.ts';

const turn = { thought: 'look', bash_command: 'ls', done: false, final_response: '' };
const json = JSON.stringify(turn);
const parse = (text: string, finishReason: Parameters<typeof parseTurn>[0]['finishReason'] = 'stop') =>
  parseTurn({ text, finishReason, actionField: 'bash_command' });
const accepted = { ok: true, turn: { thought: 'look', action: 'ls', done: false, final_response: '' } };

const acceptedShapes: Record<string, string> = {
  plain: json,
  pretty: JSON.stringify(turn, null, 2),
  bom: `\uFEFF${json}`,
  fence: `\`\`\`json\n${json}\n\`\`\``,
  'prose around': `I will list the files.\n${json}\nThat is all.`,
  'thinking with braces before': `<think>maybe {x} or {"a":1}?</think>${json}`,
  'the same object twice': `${json}\n${JSON.stringify(turn, null, 1)}`,
  'braces and quotes inside strings': JSON.stringify({ ...turn, thought: 'a "}" and a \\ {' }),
};

const refusedShapes: [name: string, text: string, error: string][] = [
  ['two different turns', `${json}${JSON.stringify({ ...turn, bash_command: 'rm x' })}`, '2 different JSON objects'],
  ['no object', 'I am done.', 'no JSON object'],
  ['nothing', '  \n', 'empty'],
  ['an object that never ends', json.slice(0, -3), 'not complete'],
  ['single quotes', "{'thought': 'x'}", 'JSON'],
  ['a trailing comma', json.replace('}', ',}'), 'JSON'],
  ['NaN', json.replace('false', 'NaN'), 'JSON'],
  ['a raw newline in a string', json.replace('look', 'lo\nok'), 'JSON'],
  ['done as text', json.replace('false', '"false"'), 'done'],
  ['a missing field', JSON.stringify({ thought: '', bash_command: 'ls', done: false }), 'final_response'],
  ['an unknown field', JSON.stringify({ ...turn, playwright_code: 'x' }), 'playwright_code'],
  ['a duplicated key', json.replace('"done"', '"bash_command":"rm x","done"'), 'occurs twice'],
  ['a list of turns', `[${json},${json.replace('ls', 'cat')}]`, '2 different JSON objects'],
  ['an action that is an object', JSON.stringify({ ...turn, bash_command: { command: 'ls' } }), 'bash_command'],
];

test('G12 fences, prose, thinking and duplicates give exactly one action; anything ambiguous or malformed is an error, never repaired', () => {
  for (const [name, text] of Object.entries(acceptedShapes))
    expect.soft(parse(text), name).toMatchObject({ ok: true, turn: { action: 'ls' } });
  for (const [name, text, error] of refusedShapes)
    expect.soft(parse(text), name).toEqual({ ok: false, error: expect.stringContaining(error) });
});

test('G11 a reply that was cut off or refused is never executed, however valid it looks', () => {
  expect(parse(json)).toEqual(accepted);
  for (const reason of ['length', 'refusal', 'content_filter', 'unknown'] as const)
    expect(parse(json, reason)).toMatchObject({ ok: false });
});

test('megabytes of prose and braces are scanned in linear time', () => {
  expect(parse(`${'x '.repeat(2_000_000)}${json}`)).toEqual(accepted);
  expect(parse('{'.repeat(200_000))).toMatchObject({ ok: false });
});
