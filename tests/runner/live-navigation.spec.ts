import { expect, test } from './live-fixture.ts';
import { freePort, startWeb } from './mode-servers.ts';

/** Addresses that give no page, what the model and the user read, and the option that helps. */
function casesOf({ origin, web, port }: { origin: string; web: Awaited<ReturnType<typeof startWeb>>; port: number }): [string, string][] {
  return [
    [`${origin}/auth`, 'asks for a user name and a password (set httpCredentials'],
    [`${web.secureOrigin}/`, 'the certificate of the server is not trusted (set ignoreHTTPSErrors: true'],
    [web.origin.replace('http:', 'https:'), 'does not speak https there (write http://'],
    [`http://127.0.0.1:${port}/`, 'nothing listens at this address (start the server'],
    [`${origin}/reset`, 'closed the connection without an answer'],
    ['http://nowhere.invalid/', 'the host name does not resolve (check the spelling'],
    [`${origin}/empty`, 'sent no page'],
    [`${origin}/bare-error`, 'an error and no page'],
    [`${origin}/loop`, 'redirects in a circle'],
    ['http://127.0.0.1:1/', 'browsers refuse this port'],
    ['http://', 'not an address a browser can open (write it whole'],
  ];
}

test('E12 what gives no page is said in plain words, with the option that helps: in a step and as a start URL', async ({ live }) => {
  const web = await startWeb();
  try {
    live.serve('/auth', (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end());
    live.serve('/empty', (_, response) => response.writeHead(204).end());
    live.serve('/bare-error', (_, response) => response.writeHead(500, { 'content-length': '0' }).end());
    live.serve('/reset', (_, response) => response.destroy());
    live.serve('/loop', (_, response) => response.writeHead(302, { location: '/loop' }).end());
    const cases = casesOf({ origin: live.origin, web, port: await freePort() });
    await live.open([live.serve('/', '<title>Home</title>')]);
    for (const [url, words] of cases) {
      const { exception } = await live.run(`await page.goto(${JSON.stringify(url)})`);
      expect.soft(exception, url).toContain(words);
    }
    await live.environment().close();
    for (const [url, words] of cases) {
      const [meaning, remedy = ''] = words.split(' (');
      const refused = await live.open([url]).catch((error: Error) => error.message);
      expect.soft(refused, url).toContain(meaning);
      expect.soft(refused, url).toContain(remedy);
      expect.soft(refused, url).toContain('The start URL cannot be opened');
      await live.environment().close();
    }
  } finally {
    await web.close();
  }
});

test.describe('with the options', () => {
  test.use({ ignoreHTTPSErrors: true, httpCredentials: { username: 'mia', password: 'secret' } });

  test('E12 the options that the words name do help', async ({ live }) => {
    const web = await startWeb();
    try {
      const first = await live.open([`${web.secureOrigin}/auth`]);
      expect(first.fields).toMatchObject({ title: '/auth', status: 200 });
      const asked = await live.run(`await page.goto('${web.origin}/auth'); return await page.locator('#auth').textContent()`);
      expect(asked.fields['return_value']).toBe(`Basic ${Buffer.from('mia:secret').toString('base64')}`);
    } finally {
      await web.close();
    }
  });
});
