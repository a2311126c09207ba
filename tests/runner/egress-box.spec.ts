import { createServer } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server } from 'node:net';
import { networkInterfaces } from 'node:os';
import { findChromium } from '../../src/config/browser.ts';
import { type AttemptEgress, startEgress } from '../../src/sandbox/egress/egress.ts';
import { hasBwrap, noBwrap } from '../unit/sandbox/has-bwrap.ts';
import { test as base, expect } from './workspace-fixture.ts';

/** A server of this machine that counts who came. */
interface Canary {
  port: number;
  visits: () => number;
}

/** `way`: the egress of an attempt for which `shop.test` and `shop.localhost` are a site of this process. `canary`: listens where nobody may connect. */
const test = base.extend<{ way: AttemptEgress; canary: (host: string | { path: string }) => Promise<Canary> }>({
  way: async ({}, use) => {
    const site = createServer((request, response) => response.end(`<title>site</title>${request.method} ${request.headers.host}`));
    await new Promise<void>(resolve => site.listen(0, '127.0.0.1', resolve));
    const egress = await startEgress({
      sites: { hosts: ['shop.test', 'shop.localhost'], port: (site.address() as AddressInfo).port },
      resolve: async host => (host === 'evil.test' ? ['127.0.0.1'] : Promise.reject(new Error('unknown'))),
    });
    const attempt = egress.begin({ mode: 'public', allow: [], urls: [] });
    await use(attempt);
    attempt.end();
    await egress.close();
    site.closeAllConnections();
    site.close();
  },
  canary: async ({}, use) => {
    const servers: Server[] = [];
    await use(async at => {
      let visits = 0;
      const server = createNetServer(socket => {
        visits += 1;
        socket.destroy();
      });
      servers.push(server);
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject);
        if (typeof at === 'string') server.listen(0, at, resolve);
        else server.listen(at.path, resolve);
      });
      const address = server.address();
      return { port: typeof address === 'object' && address ? address.port : 0, visits: () => visits };
    });
    for (const server of servers) server.close();
  },
});

test.skip(!hasBwrap, noBwrap);

test('C14 a command connects to no loopback, LAN, metadata address or abstract socket of this machine', async ({
  makeWorkspace,
  way,
  canary,
}) => {
  const lan = Object.values(networkInterfaces())
    .flat()
    .find(entry => entry?.family === 'IPv4' && !entry.internal)?.address;
  const loopback = await canary('127.0.0.1');
  const onLan = lan === undefined ? undefined : await canary(lan);
  const name = `webwright-canary-${process.pid}`;
  const abstract = await canary({ path: `\0${name}` });
  const { environment, run } = await makeWorkspace({ egress: way });
  const { output, notice } = await run(`
cat > probe.mjs <<'JS'
import { connect } from 'node:net';
const reach = options => new Promise(resolve => connect(options).setTimeout(3000, function () { this.destroy(new Error('time')); })
  .once('connect', () => resolve('REACHED')).once('error', error => resolve('refused ' + error.code)));
console.log('loopback', await reach({ host: '127.0.0.1', port: ${loopback.port} }));
console.log('lan', await reach({ host: ${JSON.stringify(lan ?? '10.0.0.1')}, port: ${onLan?.port ?? 80} }));
console.log('metadata', await reach({ host: '169.254.169.254', port: 80 }));
console.log('abstract', await reach({ path: '\\0${name}' }));
JS
node probe.mjs
for host in 127.0.0.1:${loopback.port} ${lan ?? '10.0.0.1'}:${onLan?.port ?? 80} 169.254.169.254 evil.test; do curl -s -o /dev/null -w "$host %{http_code}\\n" http://$host/; done`);
  expect(output).not.toContain('REACHED');
  expect(output.match(/refused/g)).toHaveLength(4);
  expect(output.match(/ 403$/gm)).toHaveLength(4);
  expect([loopback.visits(), onLan?.visits() ?? 0, abstract.visits()]).toEqual([0, 0, 0]);
  expect(notice).toContain('Refused by the egress policy: 169.254.169.254:80: it is a link-local address');
  expect(environment.serialize()['egress']).toBe('public, complete');
});

test('C21 a script that starts its own Chromium works, and goes out through the proxy only', async ({ makeWorkspace, way, canary }) => {
  const evil = await canary('127.0.0.1');
  const { run } = await makeWorkspace({ egress: way, env: { CHROMIUM: findChromium()!.executablePath } });
  const { output, returncode } = await run(`
cat > own.mjs <<'JS'
import { chromium } from '@playwright/test';
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM, args: ['--no-sandbox'] });
const page = await browser.newPage();
for (const url of ['http://shop.localhost/', 'http://shop.test/', 'http://127.0.0.1:${evil.port}/', 'http://evil.test/']) {
  await page.goto(url);
  console.log(url, await page.title());
}
console.log('https', await page.goto('https://evil.test/').catch(error => error.message.split(' ')[1]));
await browser.close();
JS
node own.mjs
curl -s http://shop.localhost/; echo; curl -s http://evil.test/ | sed 's/.*<p>//'
node -e "fetch('http://shop.test/').then(r => r.text()).then(text => console.log('fetch', text), error => console.log('fetch failed', error.cause.code))"`);
  expect(returncode).toBe(0);
  expect(output).toContain('http://shop.localhost/ site');
  expect(output).toContain('http://shop.test/ site');
  expect(output).toContain(`http://127.0.0.1:${evil.port}/ Refused by the egress policy`);
  expect(output).toContain('http://evil.test/ Refused by the egress policy');
  expect(output).toContain('https net::ERR_TUNNEL_CONNECTION_FAILED');
  expect(output).toContain('<title>site</title>GET shop.localhost');
  expect(output).toContain('evil.test:80 is not allowed: it is an address of this machine');
  // Node 20 has no switch for it: what does not use the proxy has no network.
  expect(output).toMatch(/fetch (<title>site<\/title>GET shop.test|failed (ENOTFOUND|EAI_AGAIN))/);
  expect(evil.visits()).toBe(0);
});
