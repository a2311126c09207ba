import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import type { Check } from '../../../src/core/task.ts';
import { type CheckContext, runChecks, validateChecks } from '../../../src/judge/checks/index.ts';
import { numbersIn } from '../../../src/judge/checks/numbers.ts';
import { containsPhrase } from '../../../src/judge/checks/text-match.ts';
import { matchesWebArenaUrl } from '../../../src/judge/checks/webarena-url.ts';

const page = (url: string, elements: Record<string, string[]> = {}, current = false) => ({
  url,
  title: '',
  text: Object.values(elements).flat().join(' '),
  current,
  texts: async (selector: string) => elements[selector] ?? [],
});

const context: CheckContext = {
  finalResponse: 'The cheapest blue kettle costs £24.90.',
  pages: [
    page('http://shop.localhost/list?color=blue&sort=price', { h1: ['Blue  kettles'], '.price': ['£24.90', '£31.00'] }, true),
    page('http://library.localhost/book/7', { h1: ['Tea at sea'] }),
  ],
  state: site => (site === 'shop' ? { cart: [{ sku: 'kettle-blue', quantity: 1 }], total: 24.9, note: null } : undefined),
  requests: site =>
    site === 'shop'
      ? [
          { method: 'POST', path: '/cart' },
          { method: 'GET', path: '/list?color=blue' },
        ]
      : undefined,
  downloads: [],
};

/** The verdict on one check; `change` replaces parts of the context. */
async function run(fields: Omit<Check, 'id'> & { kind: string }, change: Partial<CheckContext> = {}) {
  const checks = [{ id: 'C1', ...fields }];
  validateChecks(checks);
  return (await runChecks({ checks, context: { ...context, ...change } }))[0]!;
}

const answer = (finalResponse: string) => ({ finalResponse });

/** A check, what changes, and whether it must pass. Each pass has a near miss beside it. */
const cases: [string, Parameters<typeof run>, 'pass' | 'fail'][] = [
  ['url equals, query in any order', [{ kind: 'url', url: 'http://shop.localhost/list?sort=price&color=blue' }], 'pass'],
  ['url equals, another value', [{ kind: 'url', url: 'http://shop.localhost/list?sort=price&color=red' }], 'fail'],
  ['url equals, fewer keys', [{ kind: 'url', url: 'http://shop.localhost/list' }], 'fail'],
  ['url includes', [{ kind: 'url', url: 'color=blue', match: 'includes' }], 'pass'],
  ['url host', [{ kind: 'url', url: 'shop.localhost', match: 'host' }], 'pass'],
  ['url host is not a substring', [{ kind: 'url', url: 'op.localhost', match: 'host' }], 'fail'],
  ['url host of an address', [{ kind: 'url', url: 'http://shop.localhost/other', match: 'host' }], 'pass'],
  ['url as WebArena', [{ kind: 'url', url: 'http://shop.localhost/list?color=blue', match: 'webarena' }], 'pass'],
  ['url without any page', [{ kind: 'url', url: 'http://shop.localhost/' }, { pages: [] }], 'fail'],

  ['page text includes', [{ kind: 'page-text', selector: '.price', includes: '31.00' }], 'pass'],
  ['page text includes no part of a number', [{ kind: 'page-text', selector: '.price', includes: '1.00' }], 'fail'],
  [
    'page text equals, white space and case aside',
    [{ kind: 'page-text', host: 'shop.localhost', selector: 'h1', equals: 'blue kettles' }],
    'pass',
  ],
  ['page text on another tab', [{ kind: 'page-text', selector: 'h1', equals: 'Tea at sea' }], 'pass'],
  ['page text on the wrong host', [{ kind: 'page-text', host: 'shop.localhost', selector: 'h1', equals: 'Tea at sea' }], 'fail'],
  ['page text of no element', [{ kind: 'page-text', selector: '#none', equals: '' }], 'fail'],
  ['page text on a host without tab', [{ kind: 'page-text', host: 'bank.localhost', selector: 'h1', includes: 'a' }], 'fail'],

  ['tab open', [{ kind: 'tab-open', host: 'library.localhost' }], 'pass'],
  ['tab open with path', [{ kind: 'tab-open', host: 'library.localhost', pathIncludes: '/book/7' }], 'pass'],
  ['tab open on another path', [{ kind: 'tab-open', host: 'library.localhost', pathIncludes: '/book/8' }], 'fail'],
  ['tab not open', [{ kind: 'tab-open', host: 'bank.localhost' }], 'fail'],
  ['tab on a host that only ends alike', [{ kind: 'tab-open', host: 'localhost' }], 'fail'],

  ['server state', [{ kind: 'server-state', site: 'shop', query: 'cart[].sku', equals: ['kettle-blue'] }], 'pass'],
  ['server state, deep', [{ kind: 'server-state', site: 'shop', query: 'cart', equals: [{ quantity: 1, sku: 'kettle-blue' }] }], 'pass'],
  ['server state converts no types', [{ kind: 'server-state', site: 'shop', query: 'cart[0].quantity', equals: '1' }], 'fail'],
  ['server state that is null', [{ kind: 'server-state', site: 'shop', query: 'note', equals: null }], 'pass'],
  ['server state of no site', [{ kind: 'server-state', site: 'bank', query: 'note', equals: null }], 'fail'],
  [
    'server state without servers',
    [{ kind: 'server-state', site: 'shop', query: 'note', equals: null }, { state: () => undefined }],
    'fail',
  ],

  ['request seen', [{ kind: 'request-seen', site: 'shop', method: 'post', pathIncludes: '/cart' }], 'pass'],
  ['request with another method', [{ kind: 'request-seen', site: 'shop', method: 'DELETE', pathIncludes: '/cart' }], 'fail'],
  ['request not seen', [{ kind: 'request-seen', site: 'shop', pathIncludes: '/checkout', not: true }], 'pass'],
  ['request seen that must not be', [{ kind: 'request-seen', site: 'shop', pathIncludes: '/cart', not: true }], 'fail'],
  ['request not seen on no site', [{ kind: 'request-seen', site: 'bank', pathIncludes: '/pay', not: true }], 'fail'],

  ['answer includes', [{ kind: 'answer-includes', text: '24.90' }], 'pass'],
  ['answer includes one of', [{ kind: 'answer-includes', anyOf: ['31.00', '£24.90'] }], 'pass'],
  ['answer includes a longer number', [{ kind: 'answer-includes', text: '24.9' }], 'fail'],
  [
    'answer with a competing candidate',
    [{ kind: 'answer-includes', text: '24.90', excludes: ['31.00'] }, answer('24.90 or 31.00')],
    'fail',
  ],
  ['no answer', [{ kind: 'answer-includes', text: '24.90' }, answer('')], 'fail'],

  ['answer number', [{ kind: 'answer-number', value: 24.9 }], 'pass'],
  ['answer number in tolerance', [{ kind: 'answer-number', value: 24.8, tolerance: 0.1 }], 'pass'],
  ['answer number out of tolerance', [{ kind: 'answer-number', value: 24.8, tolerance: 0.09 }], 'fail'],
  ['answer number with unit', [{ kind: 'answer-number', value: 24.9, unit: '£' }], 'pass'],
  [
    'answer number, other numbers of another unit',
    [{ kind: 'answer-number', value: 12, unit: 'km' }, answer('It is 12 km, 3 hours away.')],
    'pass',
  ],
  ['answer number with the wrong unit', [{ kind: 'answer-number', value: 12, unit: 'km' }, answer('It is 12 miles away.')], 'fail'],
  [
    'answer number that lists every candidate',
    [{ kind: 'answer-number', value: 24.9, unit: '£' }, answer('£24.90, £31.00 or £12.00')],
    'fail',
  ],
  ['answer number that is part of a code', [{ kind: 'answer-number', value: 200 }, answer('The BK-200 model')], 'fail'],
  ['answer number with the sign turned', [{ kind: 'answer-number', value: 5 }, answer('It is -5 degrees')], 'fail'],

  ['answer equals', [{ kind: 'answer-equals', text: 'Tea at sea' }, answer(' "tea at Sea". ')], 'pass'],
  ['answer equals nothing longer', [{ kind: 'answer-equals', text: 'Tea at sea' }, answer('Tea at sea or Sea tea')], 'fail'],
  ['answer equals one of', [{ kind: 'answer-equals', anyOf: ['N/A', 'none'] }, answer('None')], 'pass'],

  ['no download', [{ kind: 'download' }], 'fail'],
];
for (const [name, args, expected] of cases) {
  test(`${name}: ${expected}`, async () => {
    const item = await run(...args);
    expect(item.status, item.reason).toBe(expected);
    expect(item.expected).toBeTruthy();
    expect(item.seen).toBeTruthy();
    if (expected === 'pass') expect(item.evidence).not.toEqual([]);
  });
}

test('a downloaded file is known by name and content; an empty one is none', async ({}, info) => {
  const path = info.outputPath('saved');
  writeFileSync(path, 'Invoice 17');
  const downloads = [{ id: 'd1', name: 'invoice.txt', url: '', path, bytes: 10, sha256: '', text: 'Invoice 17' }];
  expect(await run({ kind: 'download', name: 'invoice.txt', includes: 'Invoice 17' }, { downloads })).toMatchObject({ status: 'pass' });
  expect(await run({ kind: 'download', name: 'invoice.txt', includes: 'Invoice 18' }, { downloads })).toMatchObject({ status: 'fail' });
  expect(await run({ kind: 'download', name: 'other.txt' }, { downloads })).toMatchObject({ status: 'fail' });
  expect(await run({ kind: 'download' }, { downloads: [{ ...downloads[0]!, bytes: 0 }] })).toMatchObject({ status: 'fail' });
  const blob = [{ ...downloads[0]!, url: 'blob:http://shop.localhost/1' }];
  expect(await run({ kind: 'download' }, { downloads: blob })).toMatchObject({ status: 'fail', reason: /made by code inside the page/ });
  expect(await run({ kind: 'download', madeInPage: true }, { downloads: blob })).toMatchObject({ status: 'pass' });
  const gone = [{ ...downloads[0]!, path: `${path}-gone` }];
  expect(await run({ kind: 'download', includes: 'Invoice' }, { downloads: gone })).toMatchObject({
    status: 'fail',
    reason: /could not be checked/,
  });
});

test('a check that throws or hangs fails with the reason, and the others still run', async () => {
  const checks = [
    { id: 'C1', kind: 'page-text', selector: 'h1', includes: 'a' },
    { id: 'C2', kind: 'answer-includes', text: '24.90' },
  ];
  const broken = (texts: () => Promise<string[]>) => ({ ...context, pages: [{ ...page('http://shop.localhost/'), texts }] });
  const thrown = await runChecks({ checks, context: broken(() => Promise.reject(new Error('page is gone\nstack'))) });
  expect(thrown).toMatchObject([{ status: 'fail', reason: 'could not be checked: page is gone' }, { status: 'pass' }]);
  const hung = await runChecks({ checks, context: broken(() => new Promise(() => {})), timeoutMs: 1 });
  expect(hung).toMatchObject([{ status: 'fail', reason: /within 1 ms/ }, { status: 'pass' }]);
});

test('mistakes in checks are found before anything is spent', () => {
  const message = (check: Record<string, unknown>) => {
    try {
      validateChecks([{ id: 'C1', kind: 'url', ...check }]);
    } catch (error) {
      return (error as Error).message;
    }
    return 'valid';
  };
  expect(message({ kind: 'sever-state' })).toContain('did you mean "server-state"?');
  expect(message({ kind: 'quux' })).not.toContain('did you mean');
  expect(message({ url: 'http://a/', mach: 'host' })).toContain('mach');
  expect(message({ url: 'http://a/', match: 'exact' })).toContain('match');
  expect(message({})).toContain('url');
  expect(message({ kind: 'server-state', site: 'shop', query: 'cart[', equals: 1 })).toContain('JMESPath');
  expect(message({ kind: 'answer-includes' })).toContain('either text or anyOf');
  expect(message({ kind: 'page-text', selector: 'h1', includes: 'a', equals: 'a' })).toContain('either includes or equals');
  expect(() =>
    validateChecks([
      { id: 'C1', kind: 'download' },
      { id: 'C1', kind: 'download' },
    ]),
  ).toThrow(/id of another check/);
});

test('an author may say the requirement in words', async () => {
  expect(await run({ kind: 'answer-includes', text: '24.90', requirement: 'names the price' })).toMatchObject({
    requirement: 'names the price',
  });
  expect(await run({ kind: 'answer-number', value: 24.9, unit: '£' })).toMatchObject({ requirement: 'the answer is 24.9 £' });
});

test('WebArena addresses: contained base, allowed values, alternatives', () => {
  const matches = (url: string, reference: string) => matchesWebArenaUrl({ url, reference });
  expect(matches('http://a.test/list/?q=x&page=2', 'http://a.test/list?q=x')).toBe(true);
  expect(matches('https://a.test/list/5', 'http://a.test/list')).toBe(true);
  expect(matches('http://a.test/list', 'http://a.test/list/5')).toBe(false);
  expect(matches('http://a.test/list?q=y', 'http://a.test/list?q=x')).toBe(false);
  expect(matches('http://a.test/list', 'http://a.test/list?q=x')).toBe(false);
  expect(matches('http://a.test/two', 'http://a.test/one |OR| http://a.test/two')).toBe(true);
  expect(matches('http://a.test/one?q=2', 'http://a.test/one?q=1 |OR| http://a.test/one?q=2')).toBe(true);
  expect(matches('http://a.test/x?q=a+b', 'http://a.test/x?q=a%20b')).toBe(true);
  expect(matches('http://a.test/x', '')).toBe(false);
});

test('phrases are whole words and whole numbers', () => {
  const contains = (text: string, phrase: string) => containsPhrase({ text, phrase });
  expect(contains('total: 10', '0')).toBe(false);
  expect(contains('£124.90', '24.90')).toBe(false);
  expect(contains('£24.90.', '24.90')).toBe(true);
  expect(contains('between 24 and 30', '24')).toBe(true);
  expect(contains('-5 degrees', '5')).toBe(false);
  expect(contains('unsuccessful', 'successful')).toBe(false);
  expect(contains('“Tea – at sea”', '"tea - at sea"')).toBe(true);
  expect(contains('anything', ' ')).toBe(false);
});

test('numbers as people write them', () => {
  const values = (text: string) => numbersIn(text).map(({ value }) => value);
  expect(values('1,249.50 and 1.249,50 and 1 249 and 24,90')).toEqual([1249.5, 1249.5, 1249, 24.9]);
  expect(values('£24.90, €7; −3 °C (12)')).toEqual([24.9, 7, -3, 12]);
  expect(values('BK-200, 2026-01-02, v1.2.3, x5, 7th, 3_000')).toEqual([]);
});
