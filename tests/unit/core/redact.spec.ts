import { expect, test } from '@playwright/test';
import { createRedactor, createStreamRedactor, secretsFromEnv } from '../../../src/core/redact.ts';

const key = { name: 'API_KEY', value: `sk-"<a&b>'/\\ü+ 42` };
const redact = createRedactor({ secrets: [key] });
const mark = '[redacted:API_KEY]';

const base64 = (prefix: string, suffix = '') => Buffer.from(prefix + key.value + suffix).toString('base64');

/** H17: each place a secret was seen in, in the encoding of that place. */
const encodings: Record<string, string> = {
  exact: key.value,
  'URL component': encodeURIComponent(key.value),
  'URL, lower-case escapes': encodeURIComponent(key.value).replace(/%../g, hit => hit.toLowerCase()),
  'URL path': encodeURI(key.value),
  'form field': String(new URLSearchParams({ q: key.value })).slice(2),
  JSON: JSON.stringify(key.value).slice(1, -1),
  'JSON in JSON': JSON.stringify(JSON.stringify(key.value).slice(1, -1)).slice(1, -1),
  HTML: 'sk-&quot;&lt;a&amp;b&gt;&#39;/\\ü+ 42',
  hex: Buffer.from(key.value).toString('hex'),
  'HEX in capitals': Buffer.from(key.value).toString('hex').toUpperCase(),
  reversed: [...key.value].reverse().join(''),
};

for (const [name, text] of Object.entries(encodings)) {
  test(`encoding: ${name}`, () => {
    expect(redact(`Error: 401 for (${text}) at x.ts:1`)).toBe(`Error: 401 for (${mark}) at x.ts:1`);
  });
}

test('H17 a secret in an SDK error, a stack trace, a URL, a header, a file name or a screenshot name is redacted', () => {
  const { value } = key;
  const error = new Error(`401 Incorrect API key provided: ${value}`);
  const places = {
    error: error.message,
    stack: error.stack!,
    URL: `https://api.example.com/v1/x?key=${encodeURIComponent(value)}`,
    header: JSON.stringify({ headers: { authorization: `Bearer ${value}` } }),
    'basic auth': `Basic ${Buffer.from(`user:${value}`).toString('base64')}`,
    'file name': `/tmp/run/${encodeURI(value)}.log`,
    'screenshot name': `step_0001_${Buffer.from(value).toString('hex')}.png`,
  };
  for (const [place, text] of Object.entries(places)) {
    expect.soft(redact(text), place).toContain(mark);
    for (const [name, encoded] of Object.entries(encodings)) expect.soft(redact(text), `${place}: ${name}`).not.toContain(encoded);
  }
});

for (const prefix of ['', 'a', 'ab']) {
  for (const encoding of ['base64', 'base64url'] as const) {
    test(`${encoding} behind ${prefix.length} bytes`, () => {
      const text = Buffer.from(`${prefix}${key.value} tail`).toString(encoding);
      const redacted = redact(text);
      expect(redacted).toContain(mark);
      // What is left decodes to less than the value: at most two characters on either side share bits with it.
      expect(redacted.length - mark.length).toBeLessThanOrEqual(text.length - Math.floor((key.value.length * 8) / 6) + 2);
    });
  }
}

test('a base64 remainder does not spell the secret', () => {
  const left = redact(base64('ab', 'z')).replace(mark, '');
  expect(Buffer.from(left, 'base64').toString()).not.toContain('sk-');
});

test('the union of overlapping hits is replaced and the longest hit names it', () => {
  const both = createRedactor({
    secrets: [
      { name: 'SHORT', value: 'abcdef' },
      { name: 'LONG', value: 'defghijk' },
    ],
  });
  expect(both('1 abcdefghijk 2 abcdef 3')).toBe('1 [redacted:LONG] 2 [redacted:SHORT] 3');
});

test('values shorter than six characters and unknown text stay', () => {
  expect(createRedactor({ secrets: [{ name: 'X', value: 'admin' }] })('admin')).toBe('admin');
  expect(redact('nothing here')).toBe('nothing here');
});

test('a name cannot break the text it stands in', () => {
  const text = createRedactor({ secrets: [{ name: 'a"b\nc', value: 'secret-1' }] })('"secret-1"');
  expect(JSON.parse(text)).toBe('[redacted:a_b_c]');
});

for (const value of ['nsecret1', 'u001bsecret', '1bsecret', 'secret\\', 'q"secret']) {
  for (const around of ['\n', '\\', '\\\\', '\u001b', '"', 'x']) {
    test(`JSON stays JSON: ${JSON.stringify(value)} between ${JSON.stringify(around)}`, () => {
      const line = JSON.stringify({ text: `${around}${value}${around}` });
      const redacted = createRedactor({ secrets: [{ name: 'N', value }] })(line);
      expect((JSON.parse(redacted) as { text: string }).text).toContain('[redacted:N]');
    });
  }
}

test('H16 a secret split across output chunks is found at every split, in base64 at every offset too', () => {
  const secrets = [
    { name: 'A', value: 'alpha-secret' },
    { name: 'B', value: 'secret-beta-beta' },
  ];
  const text = `x alpha-secret-beta-beta alpha-secret ${['', 'y', 'yz'].map(prefix => Buffer.from(`${prefix}secret-beta-beta`).toString('base64')).join(' ')} alpha-secre`;
  const whole = createRedactor({ secrets })(text);
  expect(whole.match(/\[redacted:B\]/g)).toHaveLength(4);
  for (let size = 1; size <= text.length; size++) {
    const stream = createStreamRedactor({ secrets });
    let out = '';
    for (let at = 0; at < text.length; at += size) out += stream.write(text.slice(at, at + size));
    expect(out + stream.end()).toBe(whole);
  }
});

test('a stream holds back less than the longest encoding', () => {
  const stream = createStreamRedactor({ secrets: [{ name: 'A', value: 'secret' }] });
  expect(stream.write('x'.repeat(1_000)).length).toBe(1_000 - ('secret'.length * 2 - 1));
  expect(createStreamRedactor({ secrets: [] }).write('abc')).toBe('abc');
});

test('secrets of an environment', () => {
  const env = {
    OPENAI_API_KEY: 'sk-12345678',
    GITHUB_TOKEN: ' ghp_abcdef \n',
    DB_PASSWORD: 'hunter22',
    CLIENTSECRET: 'shhhhhhh',
    SHORT_KEY: 'abc',
    HTTPS_PROXY: 'http://user:pr0xypass@proxy:8080',
    HOME: '/home/someone',
    MONKEY: 'banana-split',
    EMPTY_KEY: undefined,
  };
  expect(secretsFromEnv(env)).toEqual([
    { name: 'OPENAI_API_KEY', value: 'sk-12345678' },
    { name: 'GITHUB_TOKEN', value: 'ghp_abcdef' },
    { name: 'DB_PASSWORD', value: 'hunter22' },
    { name: 'CLIENTSECRET', value: 'shhhhhhh' },
    { name: 'HTTPS_PROXY', value: 'pr0xypass' },
  ]);
});
