import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromiumArgs, findChromium } from '../../src/config/browser.ts';
import { type StartedChrome, startChrome } from '../../src/environments/browser/start-chrome.ts';

/** Somewhere to go: a site that says what it was asked, the same with TLS and a certificate nobody trusts, and a proxy. */
export async function startWeb() {
  const echo: RequestListener = (request, response) => {
    if (request.url?.startsWith('/auth') && !request.headers.authorization)
      return void response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end('who are you?');
    const { cookie = '', authorization = '', 'accept-language': language = '' } = request.headers;
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end(
      `<title>${request.url}</title><p id="cookie">${cookie}</p><p id="auth">${authorization}</p><p id="language">${language}</p>`,
    );
  };
  const site = await listening(createServer(echo));
  const { generateSelfSignedCertificate } = createRequire(import.meta.url)('playwright-core/lib/coreBundle').utils as {
    generateSelfSignedCertificate(): { cert: string; key: string };
  };
  const secure = await listening(createTlsServer(generateSelfSignedCertificate(), echo));
  const proxy = await listening(createServer((request, response) => response.end(`<title>through the proxy: ${request.url}</title>`)));
  return {
    origin: `http://127.0.0.1:${site.port}`,
    secureOrigin: `https://127.0.0.1:${secure.port}`,
    proxy: `http://127.0.0.1:${proxy.port}`,
    close: () => Promise.all([site, secure, proxy].map(each => each.close())),
  };
}

/** A Chrome that somebody runs with a debugging port. */
export async function startPersonsChrome(): Promise<StartedChrome & { url: string }> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const started = await startChrome({
    executablePath: findChromium()!.executablePath,
    url,
    profile: mkdtempSync(join(tmpdir(), 'webwright-person-')),
    args: [...chromiumArgs(), '--headless=new'],
    timeoutMs: 20_000,
  });
  return { ...started, url };
}

/** The part of Browserbase's API that is used, over a Chrome of this machine. */
export async function startBrowserbase({
  chrome,
  key,
  signingKey,
}: {
  /** Null: its sessions are there, but cannot be reached. */
  chrome: string | null;
  key: string;
  signingKey: string;
}) {
  const requests: { path: string; body: Record<string, unknown> }[] = [];
  const server = await listening(
    createServer(async (request, response) => {
      const body = JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}');
      requests.push({ path: request.url ?? '', body });
      const answer = (status: number, value: unknown) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
      if (request.headers['x-bb-api-key'] !== key) return answer(401, { message: `Unauthorized: ${request.headers['x-bb-api-key']}` });
      if (request.url !== '/v1/sessions') return answer(200, { status: 'COMPLETED' });
      const { webSocketDebuggerUrl } =
        chrome === null
          ? { webSocketDebuggerUrl: 'ws://127.0.0.1:1/' }
          : ((await (await fetch(`${chrome}/json/version`)).json()) as { webSocketDebuggerUrl: string });
      return answer(201, { id: randomUUID(), connectUrl: `${webSocketDebuggerUrl}?signingKey=${signingKey}`, status: 'RUNNING' });
    }),
  );
  return { url: `http://127.0.0.1:${server.port}`, requests, close: server.close };
}

export async function freePort(): Promise<number> {
  const server = await listening(createServer());
  await server.close();
  return server.port;
}

async function listening(server: Server): Promise<{ port: number; close: () => Promise<void> }> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
