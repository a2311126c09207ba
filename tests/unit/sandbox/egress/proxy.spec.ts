import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import { type AddressInfo, connect, type Server as NetServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { type Egress, startEgress } from '../../../../src/sandbox/egress/egress.ts';
import { upstreamOf } from '../../../../src/sandbox/egress/upstream.ts';

interface World {
  egress: Egress;
  /** `site.test:80` is this server, `site.test` the name of a site of the process. */
  seen: string[];
  /** Sends bytes to the proxy, or to a socket of it, and returns all that comes back until the other side ends or `until` is there. */
  send(text: string, options?: { path?: string; until?: string }): Promise<string>;
  /** With the credential. */
  auth: string;
}

const test = base.extend<{ world: World }>({
  world: async ({}, use) => {
    const seen: string[] = [];
    const site: Server = createServer((request, response) => {
      seen.push(`${request.method} ${request.headers.host}${request.url} ${Object.keys(request.headers).sort().join(',')}`);
      request.pipe(response);
      if (request.method === 'GET') response.end('hello');
    });
    site.on('upgrade', (request, socket) => {
      seen.push(`upgrade ${request.headers.host}${request.url}`);
      socket.end(`HTTP/1.1 101 Switching Protocols\r\nupgrade: ${request.headers.upgrade}\r\nconnection: Upgrade\r\n\r\nbytes`);
    });
    const port = await listening(site);
    const egress = await startEgress({
      sites: { hosts: ['site.test'], port },
      resolve: async () => Promise.reject(new Error('unknown')),
      trustsWorker: false,
    });
    const { credential, port: proxyPort } = egress.proxy;
    const auth = `Proxy-Authorization: Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}\r\n`;
    await use({
      egress,
      seen,
      auth,
      send: (text, { path, until } = {}) =>
        new Promise((resolve, reject) => {
          const socket = path ? connect(path) : connect(proxyPort, '127.0.0.1');
          let all = '';
          socket.on('data', chunk => {
            all += chunk;
            if (until && all.includes(until)) socket.destroy();
          });
          socket.on('error', reject).on('close', () => resolve(all));
          socket.write(text);
        }),
    });
    await egress.close();
    site.closeAllConnections();
    site.close();
  },
});

function listening(server: Server | NetServer): Promise<number> {
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port)));
}

const head = (line: string, more = '') => `${line} HTTP/1.1\r\nHost: whatever.example\r\n${more}\r\n`;

test('F16 without the credential nothing passes, and a wrong one is none', async ({ world: { send, auth, seen } }) => {
  const wrong = `Proxy-Authorization: Basic ${Buffer.from('webwright:guess').toString('base64')}\r\n`;
  for (const line of ['GET http://site.test/', 'CONNECT site.test:80']) {
    expect(await send(head(line, 'Connection: close\r\n'))).toMatch(/^HTTP\/1.1 407 .*\r\nproxy-authenticate: Basic/is);
    expect(await send(head(line, `Connection: close\r\n${wrong}`))).toMatch(/^HTTP\/1.1 407 /);
  }
  expect(await send(head('GET http://site.test/', `Upgrade: websocket\r\nConnection: Upgrade\r\n${wrong}`))).toMatch(/^HTTP\/1.1 407 /);
  expect(seen).toEqual([]);
  expect(await send(head('GET http://site.test/', `Connection: close\r\n${auth}`))).toMatch(/^HTTP\/1.1 200 .*hello/s);
});

test('a plain request, a tunnel and an upgrade reach what is allowed, and say nothing of the proxy', async ({
  world: { send, auth, seen },
}) => {
  const more = `Connection: close, X-Mine\r\nX-Mine: 1\r\nProxy-Connection: keep-alive\r\n${auth}`;
  expect(await send(head('GET http://SITE.test./a?b=c', more))).toContain('hello');
  expect(await send(`${head('POST http://site.test/p', `Connection: close\r\nContent-Length: 4\r\n${auth}`)}data`)).toContain('data');
  const inner = 'GET /t HTTP/1.1\r\nHost: site.test\r\nConnection: close\r\n\r\n';
  expect(await send(head('CONNECT site.test:80', auth) + inner)).toMatch(
    /^HTTP\/1.1 200 Connection established\r\n\r\nHTTP\/1.1 200 OK.*hello/s,
  );
  expect(await send(head('GET http://site.test/ws', `Upgrade: websocket\r\nConnection: Upgrade\r\n${auth}`), { until: 'bytes' })).toMatch(
    /^HTTP\/1.1 101 .*bytes$/s,
  );
  // The Host of the address counts, not the one that was sent with it.
  expect(seen).toEqual([
    'GET site.test/a?b=c connection,host',
    'POST site.test/p connection,content-length,host',
    'GET site.test/t connection,host',
    'upgrade site.test/ws',
  ]);
});

test('F14 what cannot be read in one way is refused before anything is decided', async ({ world: { egress, send, auth } }) => {
  const attempt = egress.begin({ mode: 'public', allow: [], urls: [] });
  for (const line of ['CONNECT user@site.test:80', 'CONNECT site.test', 'GET /', 'GET https://site.test/', 'GET http://a@site.test/'])
    expect(await send(head(line, `Connection: close\r\n${auth}`)), line).toMatch(/^HTTP\/1.1 400 /);
  for (const line of ['CONNECT site.test:22', 'CONNECT [::1]:443', 'CONNECT [::ffff:a9fe:a9fe]:80', 'GET http://127.1/'])
    expect(await send(head(line, `Connection: close\r\n${auth}`)), line).toMatch(/^HTTP\/1.1 403 /);
  expect(attempt.hosts().map(({ host, allowed, refused }) => [host, allowed, refused])).toEqual([
    ['site.test:22', 0, 1],
    ['[::1]:443', 0, 1],
    ['169.254.169.254:80', 0, 1],
    ['127.0.0.1:80', 0, 1],
  ]);
  attempt.end();
});

test('a refusal says what is not allowed, why, and what to set, as a page and for the observation', async ({
  world: { egress, send, auth },
}) => {
  const attempt = egress.begin({ mode: 'allow-list', allow: [], urls: [] });
  const page = await send(head('GET http://evil.test/?q=secret<b>', `Connection: close\r\n${auth}`));
  expect(page).toMatch(/^HTTP\/1.1 403 /);
  expect(page).toContain('evil.test:80 is not allowed: it is not on the list of allowed hosts.');
  expect(page).toContain('environment.egress_allow=[&#34;evil.test&#34;]');
  expect(page).not.toContain('secret');
  expect(attempt.takeRefusals()).toEqual(['Refused by the egress policy: evil.test:80: it is not on the list of allowed hosts.']);
  expect(attempt.takeRefusals()).toEqual([]);
  attempt.end();
});

test('a policy is in force until its attempt ends; then the lines of the author are free again', async ({
  world: { egress, send, auth },
}) => {
  const other = createServer((_, response) => response.end('other'));
  const port = await listening(other);
  const ask = () => send(head(`GET http://127.0.0.1:${port}/`, `Connection: close\r\n${auth}`));
  expect(await ask()).toContain('other');
  const attempt = egress.begin({ mode: 'public', allow: [], urls: [] });
  expect(await ask()).toMatch(/^HTTP\/1.1 403 /);
  const second = egress.begin({ mode: 'public', allow: [`127.0.0.1:${port}`], urls: [] });
  expect(await ask()).toMatch(/^HTTP\/1.1 403 /); // what one of two refuses is refused
  attempt.end();
  expect(await ask()).toContain('other');
  second.end();
  other.close();
});

test('a box is served on a socket of its own, by its own policy, without a credential, until its attempt ends', async ({
  world: { egress, send },
}) => {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-egress-'));
  const path = join(folder, 'egress.sock');
  const attempt = egress.begin({ mode: 'off', allow: [], urls: [] });
  await attempt.listen(path);
  expect(await send(head('GET http://site.test/', 'Connection: close\r\n'), { path })).toContain('hello');
  expect(await send(head('GET http://127.0.0.1/', 'Connection: close\r\n'), { path })).toContain('egress is off');
  attempt.end();
  await expect(send(head('GET http://site.test/'), { path })).rejects.toThrow(/ENOENT|ECONNREFUSED/);
  rmSync(folder, { recursive: true });
});

test('F15 a proxy that is closed lets nothing through, also not what was open', async ({ world: { egress, send, auth } }) => {
  const tunnel = connect(egress.proxy.port, '127.0.0.1');
  tunnel.on('error', () => {}).write(head('CONNECT site.test:80', auth));
  await new Promise(resolve => tunnel.once('data', resolve));
  const ended = new Promise(resolve => tunnel.once('close', resolve));
  await egress.close();
  await ended;
  await expect(send(head('GET http://site.test/', auth))).rejects.toThrow(/ECONNREFUSED/);
});

test('the proxy of the Playwright config is gone through, with its credential and its exceptions', async ({
  world: { egress, send, auth },
}) => {
  const asked: string[] = [];
  const upstream = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`);
    response.end('by upstream');
  });
  upstream.on('connect', (request, socket) => {
    asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`);
    socket.end('HTTP/1.1 200 OK\r\n\r\nby tunnel');
  });
  const port = await listening(upstream);
  egress.setUpstream(upstreamOf({ server: `127.0.0.1:${port}`, username: 'mia', password: 'pw', bypass: 'intranet.example' }));
  const basic = `Basic ${Buffer.from('mia:pw').toString('base64')}`;
  const attempt = egress.begin({ mode: 'public', allow: [], urls: [] });
  expect(await send(head('GET http://shop.example/a', `Connection: close\r\n${auth}`))).toContain('by upstream');
  expect(await send(head('CONNECT shop.example:443', auth))).toContain('by tunnel');
  expect(await send(head('CONNECT 10.0.0.1:443', auth))).toMatch(/^HTTP\/1.1 403 /);
  expect(await send(head('GET http://site.test/', `Connection: close\r\n${auth}`))).toContain('hello');
  expect(await send(head('CONNECT intranet.example:443', auth))).toMatch(/^HTTP\/1.1 502 .*does not resolve/s);
  expect(asked).toEqual([`GET http://shop.example/a ${basic}`, `CONNECT shop.example:443 ${basic}`]);
  attempt.end();
  upstream.close();
  expect(() => upstreamOf({ server: 'socks5://127.0.0.1:1' })).toThrow(/HTTP or HTTPS proxy only.*egressProxy: false/s);
});

test('F16 the process of the proxy itself needs no credential: context.request has none', async () => {
  const egress = await startEgress({ sites: null });
  const attempt = egress.begin({ mode: 'off', allow: [], urls: [] });
  const status = await new Promise<number | undefined>(resolve =>
    get({ port: egress.proxy.port, host: '127.0.0.1', path: 'http://site.test/' }, reply => resolve(reply.resume().statusCode)),
  );
  expect(status).toBe(403);
  attempt.end();
  await egress.close();
});

test('headers and connections are bounded', async ({ world: { send, auth, egress } }) => {
  expect(await send(head('GET http://site.test/', `X: ${'x'.repeat(70_000)}\r\n${auth}`))).toMatch(/^HTTP\/1.1 431 /);
  const status = await new Promise<number | undefined>(resolve =>
    get({ port: egress.proxy.port, host: '127.0.0.1', path: 'http://site.test/' }, reply => resolve(reply.resume().statusCode)),
  );
  expect(status).toBe(407);
});
