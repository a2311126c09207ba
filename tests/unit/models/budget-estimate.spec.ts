import { expect, test } from '@playwright/test';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import type { Message } from '../../../src/core/messages.ts';
import { likelyTokens, promptBound, worstTokens } from '../../../src/models/budget-estimate.ts';

const user = (content: Message['content']): Message => ({ role: 'user', content, extra: {} });
const sent = (...messages: Message[]) => ({ messages });

const texts = {
  English: 'Find the cheapest blue kettle in stock and tell me its price. '.repeat(20),
  ARIA: '- link "Blue kettle £24.90" [ref=e42] [cursor=pointer]:\n    - /url: /p/17\n'.repeat(20),
  digits: '3 1 4 1 5 9 2 6 5 '.repeat(40),
  CJK: '价格最低的蓝色水壶'.repeat(30),
  rare: '\u4e8d\u3405\u9fa0'.repeat(30),
  emoji: '🪬🫥'.repeat(40),
};

for (const [name, text] of Object.entries(texts)) {
  test(`${name} never has more tokens than the worst case`, () => {
    expect(worstTokens(sent(user(text)))).toBeGreaterThanOrEqual(encode(text).length);
  });
}

test('the likely size is near the real one for what pages and code look like', () => {
  const text = texts.English + texts.ARIA;
  const ratio = likelyTokens(sent(user(text))) / encode(text).length;
  expect(ratio).toBeGreaterThan(0.6);
  expect(ratio).toBeLessThan(1.6);
});

test('what the endpoint has counted bounds the part that is sent again', () => {
  const history = user(texts.English);
  const { bound, settled } = promptBound();
  const first = bound(sent(history));
  expect(first).toBe(worstTokens(sent(history)));
  settled(sent(history), 300);
  expect(bound(sent(history, user('ok')))).toBe(300 + worstTokens(sent(user('ok'))));
  // A message that is now there twice counts once more.
  expect(bound(sent(history, history))).toBe(300 + first);
});

test('an endpoint that reports no usage gives no bound', () => {
  const { bound, settled } = promptBound();
  settled(sent(user('a')), 0);
  expect(bound(sent(user('a')))).toBe(worstTokens(sent(user('a'))));
});
