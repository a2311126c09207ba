import { expect, test } from '@playwright/test';
import { cleanText, oneLine } from '../../../src/environments/clean-text.ts';

test('E21 what people cannot see is removed, what scripts and emoji need stays', () => {
  expect(cleanText('a\u202Eb\u200Bc\u{E0041}d\u0007\u001B[31mred\u001B[0m\ttab\nline')).toBe('abcdred\ttab\nline');
  expect(cleanText('\ud800 \u{1F468}\u200D\u{1F469}')).toBe('\ufffd \u{1F468}\u200D\u{1F469}');
  expect(oneLine('a\n\n b', 10)).toBe('a b');
  expect(oneLine('abcdef', 3)).toBe('abc… (6 characters)');
});
