import { type IncomingHttpHeaders, request } from 'node:http';
import { test as base, expect } from '@playwright/test';
import type { Sites as SitesOption } from '../../../fixtures/options.ts';
import { type Sites, startSites } from '../../../fixtures/sites/server.ts';

interface Reply {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

interface Ask {
  path: string;
  host?: string;
  method?: string;
  form?: Record<string, string> | string;
  cookie?: string;
}

const test = base.extend<{ sites: Sites; ask: (ask: Ask) => Promise<Reply> }>({
  sites: async ({}, use) => {
    const sites = await startSites();
    await use(sites);
    await sites.close();
  },
  // Node does not resolve `*.localhost`: port and Host header, as any client that is no browser.
  ask: async ({ sites: { port } }, use) => {
    await use(
      ({ path, host = 'shop.localhost', form, method = form === undefined ? 'GET' : 'POST', cookie }) =>
        new Promise((resolve, reject) => {
          const sent = request(
            { host: '127.0.0.1', port, path, method, headers: { host, ...(cookie ? { cookie } : {}) } },
            async response => {
              let body = '';
              for await (const chunk of response) body += chunk;
              resolve({ status: response.statusCode ?? 0, headers: response.headers, body });
            },
          );
          sent
            .on('error', reject)
            .end(form === undefined ? undefined : String(typeof form === 'string' ? form : new URLSearchParams(form)));
        }),
    );
  },
});

const visitorOf = ({ headers }: Reply) => headers['set-cookie']?.[0]?.split(';')[0] ?? '';

test('addresses without ports, for a browser', ({ sites }) => {
  expect(sites.hosts).toEqual(['shop.localhost', 'library.localhost']);
  expect(sites.resolverRules).toBe(`MAP shop.localhost:80 127.0.0.1:${sites.port}, MAP library.localhost:80 127.0.0.1:${sites.port}`);
  const asOption: SitesOption = sites;
  expect(asOption).toBe(sites);
});

test('the Host header chooses the site; another host has no site here', async ({ ask, sites }) => {
  expect((await ask({ path: '/' })).body).toContain('Copperbell');
  expect((await ask({ path: '/', host: `library.localhost:${sites.port}` })).body).toContain('Wickerby Libraries');
  expect((await ask({ path: '/', host: `127.0.0.1:${sites.port}` })).status).toBe(421);
});

test('state and request log have no address', async ({ ask, sites }) => {
  await ask({ path: '/basket/add', form: { sku: 'K105', quantity: '3' } });
  for (const path of [
    '/state',
    '/api/state',
    '/requests',
    '/log',
    '/admin',
    '/.well-known/state',
    '/orders',
    '/baskets',
    '/orders/CB-1001',
  ]) {
    const reply = await ask({ path });
    expect(reply.status, path).toBe(404);
    expect(reply.body, path).not.toContain('Skerry');
  }
  expect(sites.state('shop')).toMatchObject({ baskets: [{ lines: [{ sku: 'K105', quantity: 3 }] }] });
});

test('the request log tells what was asked, in order over both sites', async ({ ask, sites }) => {
  await ask({ path: '/products?colour=blue' });
  await ask({ path: '/hours', host: 'library.localhost' });
  await ask({ path: '/basket/add', form: { sku: 'nothing' } });
  expect(sites.requests('shop')).toEqual([
    { method: 'GET', path: '/products?colour=blue', at: 0, host: 'shop.localhost' },
    { method: 'POST', path: '/basket/add', at: 2, host: 'shop.localhost' },
  ]);
  expect(sites.requests('library')).toEqual([{ method: 'GET', path: '/hours', at: 1, host: 'library.localhost' }]);
  expect(() => sites.requests('bank')).toThrow('No embedded site is called "bank"');
  expect(() => sites.state('bank')).toThrow('No embedded site is called "bank"');
});

test('a visitor is a cookie: others see neither basket nor order', async ({ ask }) => {
  const ada = visitorOf(await ask({ path: '/' }));
  await ask({ path: '/basket/add', form: { sku: 'K105' }, cookie: ada });
  const order = { name: 'A', email: 'a@b.example', street: '1', city: 'W', postcode: 'WB1 4QL', delivery: 'collect', terms: 'yes' };
  const { headers } = await ask({ path: '/checkout', form: order, cookie: ada });
  expect(headers.location).toBe('/orders/CB-1001');
  expect((await ask({ path: '/orders/CB-1001', cookie: ada })).body).toContain('£29.90');
  expect((await ask({ path: '/orders/CB-1001', cookie: visitorOf(await ask({ path: '/' })) })).status).toBe(404);
});

test('a snapshot shares nothing with the site', async ({ ask, sites }) => {
  await ask({ path: '/basket/add', form: { sku: 'K105' } });
  const snapshot = sites.state('shop') as { baskets: { lines: unknown[] }[] };
  snapshot.baskets[0]!.lines.length = 0;
  expect(sites.state('shop')).toMatchObject({ baskets: [{ lines: [{ sku: 'K105' }] }] });
});

test('a reset forgets everything, and who comes back with an old cookie is somebody new', async ({ ask, sites }) => {
  const fresh = [sites.state('shop'), sites.state('library')];
  const old = visitorOf(await ask({ path: '/' }));
  await ask({ path: '/basket/add', form: { sku: 'K105' }, cookie: old });
  await ask({ path: '/consent', form: { choice: 'all' }, host: 'library.localhost' });
  sites.reset();
  expect([sites.state('shop'), sites.state('library')]).toEqual(fresh);
  expect(sites.requests('shop')).toEqual([]);

  const next = visitorOf(await ask({ path: '/' }));
  await ask({ path: '/basket/add', form: { sku: 'L301' }, cookie: next });
  const reply = await ask({ path: '/basket', cookie: old });
  expect(reply.body).toContain('Your basket is empty.');
  expect(visitorOf(reply)).not.toBe(next);
});

test('the same visit leaves the same bytes after every reset', async ({ ask, sites }) => {
  const visit = async () => {
    sites.reset();
    const cookie = visitorOf(await ask({ path: '/' }));
    await ask({ path: '/basket/add', form: { sku: 'M502', quantity: '2' }, cookie });
    const { body } = await ask({ path: '/basket', cookie });
    return JSON.stringify([body, sites.state('shop'), sites.requests('shop')]);
  };
  expect(await visit()).toBe(await visit());
});

test('what visitors send is text, never markup or a way out', async ({ ask }) => {
  expect((await ask({ path: '/products?q=%3Cscript%3Ealert(1)%3C/script%3E' })).body).not.toContain('<script>alert');
  expect((await ask({ path: '/floor-plan?mark=%22%3E%3Cimg%20src=x%3E', host: 'library.localhost' })).body).not.toContain('<img src=x');
  for (const back of ['https://evil.example/', '//evil.example/', '/\\evil.example/']) {
    expect((await ask({ path: '/consent', form: { choice: 'all', back } })).headers.location, back).toBe('/');
  }
});

test('requests that are too long, of a strange kind or not readable are refused', async ({ ask, sites }) => {
  expect((await ask({ path: '/basket/add', form: `sku=${'K'.repeat(70_000)}` })).status).toBe(413);
  expect((await ask({ path: '/basket', method: 'DELETE' })).status).toBe(405);
  expect((await ask({ path: '/basket/add', form: { sku: 'K105', quantity: '-2' } })).headers.location).toBe('/basket?done=number');
  expect((await ask({ path: '/basket/add', form: { sku: 'K105', quantity: '1e9' } })).headers.location).toBe('/basket?done=fewer');
  expect(sites.requests('shop')).toHaveLength(4);
});

test('every product and book has a page and a picture', async ({ ask }) => {
  const slugs = (await Promise.all([1, 2, 3, 4, 5].map(page => ask({ path: `/products/list?page=${page}` }))))
    .flatMap(({ body }) => [...body.matchAll(/href="(\/products\/[^"?]+)"|src="(\/pictures[^"]+)"/g)])
    .map(match => match[1] ?? match[2]!);
  expect(slugs).toHaveLength(120);
  const books = Array.from({ length: 200 }, (_, index) => [`/books/${1001 + index}`, `/covers/${1001 + index}.svg`]).flat();
  const replies = [
    ...(await Promise.all(slugs.map(path => ask({ path })))),
    ...(await Promise.all(books.map(path => ask({ path, host: 'library.localhost' })))),
  ];
  expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
  expect(new Set(replies.map(({ body }) => body)).size).toBe(replies.length);
});
