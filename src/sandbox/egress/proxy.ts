import { randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, request as httpRequest, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createNetServer, type Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { dial, dialUpstream, tunnelUpstream, type Upstream } from './dial.ts';
import { ownSockets } from './own-sockets.ts';
import type { Decision } from './policy.ts';
import { refusalPage, refusalText } from './refusal.ts';
import { connectTarget, hostHeader, requestTarget, type Target, targetText } from './target.ts';

/** More at once are refused. */
const maxConnections = 1_024;
const maxHeaderBytes = 65_536;
/** A tunnel or request on which nothing moves ends after this. */
const idleMs = 10 * 60_000;

/** Who decides for a client: the browser, or the box of one attempt. */
export interface ProxyClient {
  decide(target: Target): Promise<Decision>;
}

/** A forward proxy that only does what a policy allows. */
export interface EgressProxy {
  /** On loopback; whoever connects here needs the credential. */
  port: number;
  credential: { username: string; password: string };
  /** Serves another client on a Unix socket: who can reach the socket needs no credential. */
  listen(options: { path: string; client: ProxyClient }): Promise<{ close(): void }>;
  close(): Promise<void>;
}

/**
 * Starts a proxy for `CONNECT`, plain requests and their upgrades. It knows nothing of hosts: `client.decide` says for each connection whether it may be
 * made and to which addresses. A request that two readers could understand differently is refused. When it is closed nothing gets out:
 * the browser has no other way.
 */
export async function startProxy({
  client: browser,
  upstream = () => null,
  trustsWorker = true,
  random = randomBytes,
}: {
  client: ProxyClient;
  upstream?: () => Upstream | null;
  /** Connections of this process need no credential, as `context.request` has none. */
  trustsWorker?: boolean;
  random?: (size: number) => Buffer;
}): Promise<EgressProxy> {
  const credential = { username: 'webwright', password: random(24).toString('base64url') };
  const wanted = Buffer.from(`Basic ${Buffer.from(`${credential.username}:${credential.password}`).toString('base64')}`);
  const worker = trustsWorker ? ownSockets() : null;
  const clients = new WeakMap<Duplex, ProxyClient>();
  const sockets = new Set<Duplex>();
  const doors = new Set<NetServer>();

  const clientOf = ({ socket, headers }: IncomingMessage): ProxyClient | null => {
    const own = clients.get(socket);
    if (own) return own;
    if (worker?.has(socket.remotePort)) return browser;
    const given = Buffer.from(headers['proxy-authorization'] ?? '');
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? browser : null;
  };
  const upstreamFor = ({ host }: Target): Upstream | null => {
    const proxy = upstream();
    return proxy && !proxy.bypass(host) ? proxy : null;
  };
  const open = ({ target, decision }: { target: Target; decision: Decision & { allowed: true } }): Promise<Socket> => {
    const proxy = decision.local ? null : upstreamFor(target);
    return keep(proxy ? tunnelUpstream({ upstream: proxy, target }) : dial(decision));
  };
  const keep = async (opening: Promise<Socket>): Promise<Socket> => {
    const socket = await opening;
    sockets.add(socket);
    return socket
      .on('error', () => socket.destroy())
      .on('close', () => sockets.delete(socket))
      .setTimeout(idleMs, () => socket.destroy());
  };

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const refuse = (status: number, body: string, headers = {}) => {
      request.resume();
      response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store', ...headers }).end(body);
    };
    const client = clientOf(request);
    if (!client) return refuse(407, '', { 'proxy-authenticate': 'Basic realm="webwright"' });
    const found = requestTarget(request.url ?? '');
    if (!found) return refuse(400, refusalPage({ host: 'this address', reason: 'it cannot be read as http://host/path' }));
    const { target, url } = found;
    const decision = await client.decide(target);
    if (!decision.allowed) return refuse(403, refusalPage({ host: targetText(target), reason: decision.reason }));
    const proxy = decision.local ? null : upstreamFor(target);
    const socket = await keep(proxy ? dialUpstream(proxy) : dial(decision));
    const headers = { ...endToEnd(request), host: hostHeader(target), connection: 'close' };
    const onward = httpRequest(
      {
        method: request.method ?? 'GET',
        path: proxy ? url.href : url.pathname + url.search,
        headers: proxy?.authorization ? { ...headers, 'proxy-authorization': proxy.authorization } : headers,
        createConnection: () => socket,
        setHost: false,
        maxHeaderSize: maxHeaderBytes,
      },
      reply => {
        response.writeHead(reply.statusCode ?? 502, reply.statusMessage, withoutHopByHop(reply.rawHeaders));
        reply.pipe(response);
        reply.on('error', () => response.destroy());
      },
    );
    onward.on('error', () => (response.headersSent ? response.destroy() : refuse(502, '')));
    response.on('close', () => socket.destroy());
    request.pipe(onward);
  };

  const server: Server = createServer({ maxHeaderSize: maxHeaderBytes, keepAliveTimeout: 60_000 }, (request, response) => {
    answer(request, response).catch((error: Error) => {
      if (response.headersSent) response.destroy();
      else
        response
          .writeHead(502, { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' })
          .end(refusalPage({ host: request.headers.host ?? '', reason: error.message, what: 'cannot be reached' }));
    });
  });
  server.maxConnections = maxConnections;

  /** CONNECT, and an upgrade of a plain request: bytes in both directions until one side ends. */
  const tunnel = async ({ request, socket, head, found, first }: TunnelOptions) => {
    const end = (status: string, text = '', headers = '') =>
      socket.end(
        `HTTP/1.1 ${status}\r\n${headers}content-type: text/plain; charset=utf-8\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
    const client = clientOf(request);
    if (!client) return end('407 Proxy Authentication Required', '', 'proxy-authenticate: Basic realm="webwright"\r\n');
    if (!found) return end('400 Bad Request', 'this address cannot be read as host:port\n');
    const decision = await client.decide(found);
    if (!decision.allowed) return end('403 Forbidden', `${refusalText({ host: targetText(found), reason: decision.reason })}\n`);
    let onward: Socket;
    try {
      onward = await open({ target: found, decision });
    } catch (error) {
      return end('502 Bad Gateway', `${targetText(found)} cannot be reached: ${(error as Error).message}\n`);
    }
    if (socket.destroyed) return onward.destroy();
    if (first) onward.write(first);
    else socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) onward.write(head);
    socket.on('close', () => onward.destroy());
    onward.on('close', () => socket.destroy());
    socket.pipe(onward);
    onward.pipe(socket);
  };
  server.on('connect', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    void tunnel({ request, socket, head, found: connectTarget(request.url ?? ''), first: null }).catch(() => socket.destroy());
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    const found = requestTarget(request.url ?? '');
    const headers = found && {
      ...endToEnd(request),
      host: hostHeader(found.target),
      connection: 'Upgrade',
      upgrade: request.headers.upgrade ?? '',
    };
    const lines = Object.entries(headers ?? {}).flatMap(([name, value]) => [value ?? []].flat().map(one => `${name}: ${one}`));
    const first = found && [`GET ${found.url.pathname}${found.url.search} HTTP/1.1`, ...lines, '', ''].join('\r\n');
    void tunnel({ request, socket, head, found: found?.target ?? null, first }).catch(() => socket.destroy());
  });
  server.on('connection', socket => {
    sockets.add(socket);
    socket.setNoDelay?.(true);
    socket.on('close', () => sockets.delete(socket));
  });

  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    credential,
    async listen({ path, client }) {
      const door = createNetServer(socket => {
        clients.set(socket, client);
        server.emit('connection', socket);
      });
      door.maxConnections = maxConnections;
      doors.add(door);
      await new Promise<void>((resolve, reject) => door.once('error', reject).listen(path, resolve));
      return {
        close() {
          doors.delete(door);
          door.close();
        },
      };
    },
    async close() {
      worker?.close();
      for (const door of doors) door.close();
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

interface TunnelOptions {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
  found: Target | null;
  /** Sent to the other side before anything else, in place of an answer to the client. */
  first: string | null;
}

const hopByHop = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'host', 'http2-settings'],
]);

/** Headers of a request that are for the other end, and not for us; also what `connection` names is for us. */
function endToEnd({ headers }: IncomingMessage): Record<string, string | string[] | undefined> {
  const named = String(headers.connection ?? '')
    .toLowerCase()
    .split(/\s*,\s*/);
  const kept = Object.entries(headers).filter(([name]) => !hopByHop.has(name) && !named.includes(name));
  return Object.fromEntries(kept);
}

function withoutHopByHop(raw: string[]): string[] {
  return raw.filter((_, index) => !hopByHop.has(raw[index - (index % 2)]!.toLowerCase()));
}
