import { expect, test } from '@playwright/test';
import { childEnvironment, modelKeysIn } from '../../../src/sandbox/child-environment.ts';
import { parseCredentials } from '../../../src/sandbox/credentials.ts';

const base = { PATH: '/usr/bin' };
const of = (own: Record<string, string>, modelKeys: string[] = []) => childEnvironment({ base, own, modelKeys });

test("the task's own variables reach commands beside the harness's", () => {
  expect(of({ SHOP_USER: 'mia' })).toEqual({ PATH: '/usr/bin', SHOP_USER: 'mia' });
});

test('a model key is refused by name and by value, and the error does not repeat it', () => {
  expect(() => of({ OPENAI_API_KEY: 'x' })).toThrow(/"OPENAI_API_KEY" holds a model key/);
  expect(() => of({ ANTHROPIC_API_KEY: 'x' })).toThrow(/holds a model key/);
  const error = (() => {
    try {
      of({ MY_TOKEN: 'Bearer sk-secret-1' }, ['sk-secret-1']);
    } catch (caught) {
      return String(caught);
    }
  })();
  expect(error).toContain('"MY_TOKEN" holds a model key');
  expect(error).not.toContain('sk-secret-1');
});

test('a name of the harness and an impossible variable are refused', () => {
  expect(() => of({ PATH: '/evil' })).toThrow(/is set by the harness/);
  expect(() => of({ 'A B': 'x' })).toThrow(/not a valid environment variable/);
  expect(() => of({ A: 'x\0y' })).toThrow(/not a valid environment variable/);
});

test('model keys of this process are known by their names', () => {
  expect(modelKeysIn({ OPENAI_API_KEY: 'k1', OPENROUTER_API_KEY: 'k2', PATH: '/usr/bin', ANTHROPIC_API_KEY: '' })).toEqual(['k1', 'k2']);
});

test('a credentials file: only export lines count', () => {
  const text = `# comment\nexport A=plain\nexport B="two words"\nexport C='x'\r\nD=no\nexport  E = no\nexport F="open\nexport G=$A`;
  expect(parseCredentials(text)).toEqual({ A: 'plain', B: 'two words', C: 'x', F: '"open', G: '$A' });
});
