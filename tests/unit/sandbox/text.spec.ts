import { expect, test } from '@playwright/test';
import { cappedOutput } from '../../../src/sandbox/capped-output.ts';
import { cleanBytes, cleanText, headAndTail } from '../../../src/sandbox/clean-text.ts';

test.describe('C7 output is made of valid text without control bytes', () => {
  const rows: [name: string, input: Buffer, expected: string][] = [
    ['colours', Buffer.from('\u001b[1;31mred\u001b[0m'), 'red'],
    ['a terminal title', Buffer.from('\u001b]0;owned\u0007text'), 'text'],
    ['a link for terminals', Buffer.from('\u001b]8;;http://x\u001b\\text\u001b]8;;\u001b\\'), 'text'],
    ['an escape at the end', Buffer.from('text\u001b'), 'text'],
    ['NUL, bell, backspace', Buffer.from('a\0b\u0007c\u0008d'), 'abcd'],
    ['C1 controls', Buffer.from('a\u009b31mb'), 'a31mb'],
    ['CRLF and a progress bar', Buffer.from('one\r\n10%\r20%\n'), 'one\n10%\n20%\n'],
    ['invalid UTF-8', Buffer.from([0x61, 0xff, 0x62]), 'a\ufffdb'],
    ['a cut code point', Buffer.from('é').subarray(0, 1), '\ufffd'],
    ['bidi override and tag characters', Buffer.from('a\u202eb\u{e0041}c'), 'abc'],
    ['tabs, newlines, emoji with joiner', Buffer.from('a\tb\n👩‍💻'), 'a\tb\n👩‍💻'],
  ];
  for (const [name, input, expected] of rows) test(name, () => expect(cleanBytes(input)).toBe(expected));

  test('a lone surrogate', () => expect(cleanText('a\ud800b')).toBe('a\ufffdb'));
});

test.describe('C6 a long line is cut inside', () => {
  const note = (omitted: number) => `[${omitted} left out]`;

  test('head and tail stand, the count is exact', () => {
    expect(headAndTail({ text: `start${'x'.repeat(3_000_000)}end`, maxChars: 10, note })).toBe('start\n[2999998 left out]\nxxend');
  });
  test('a text that fits is not touched', () => expect(headAndTail({ text: 'abcd', maxChars: 4, note })).toBe('abcd'));
  test('no surrogate pair is torn', () => {
    const cut = headAndTail({ text: '😀😀😀😀', maxChars: 6, note });
    expect(cut.isWellFormed()).toBe(true);
    expect(cut.startsWith('😀\n')).toBe(true);
  });
});

test('C5 capped output keeps both ends of any sequence of chunks and counts the rest', () => {
  const whole = Buffer.from(Array.from({ length: 1_000 }, (_, index) => index % 251));
  for (const size of [1, 3, 7, 64, 999, 1_000]) {
    const output = cappedOutput({ keepBytes: 100 });
    for (let at = 0; at < whole.length; at += size) output.push(whole.subarray(at, at + size));
    const { head, tail, totalBytes, omittedBytes } = output.kept();
    expect(head.equals(whole.subarray(0, 50)), `head, chunks of ${size}`).toBe(true);
    expect(tail.equals(whole.subarray(950)), `tail, chunks of ${size}`).toBe(true);
    expect({ totalBytes, omittedBytes }).toEqual({ totalBytes: 1_000, omittedBytes: 900 });
  }
});

test('capped output loses nothing of what fits', () => {
  const output = cappedOutput({ keepBytes: 10 });
  output.push(Buffer.from('abcd'));
  output.push(Buffer.from('efgh'));
  const { head, tail, omittedBytes } = output.kept();
  expect([Buffer.concat([head, tail]).toString(), omittedBytes]).toEqual(['abcdefgh', 0]);
});
