import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Answers one request of a script; what it returns is sent as JSON. Throws to refuse, with words for the model. */
export type BrokerHandler = (body: Record<string, unknown>) => Promise<Record<string, unknown>>;

/** The one door from commands to the harness. */
export interface Broker {
  /** Path of its unix socket; the value of BROWSER_ENDPOINT. */
  socket: string;
  /** A private folder of the harness, removed by `close`. */
  folder: string;
  /** The part of it that boxes can see: sockets only. */
  door: string;
  close(): Promise<void>;
}

const maxBodyBytes = 1_000_000;

/**
 * Serves `POST /<name>` with JSON bodies on a unix socket in a private folder. Every request is answered: a refusal with status 400
 * and `{error}`, an unknown path with 404, a body above 1 MB with 413.
 */
export async function startBroker({
  handlers,
  temporary = tmpdir(),
}: {
  handlers: Record<string, BrokerHandler>;
  temporary?: string;
}): Promise<Broker> {
  const folder = mkdtempSync(join(temporary, 'webwright-'));
  const door = join(folder, 'door');
  mkdirSync(door);
  const socket = join(door, 'broker.sock');
  const server = createServer((request, response) => {
    const reply = (status: number, value: Record<string, unknown>) => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(value));
    };
    answer({ request, handlers }).then(
      ({ status, value }) => reply(status, value),
      error => reply(400, { error: (error as Error).message }),
    );
  });
  server.maxConnections = 64;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(socket, resolve);
  });
  return {
    socket,
    folder,
    door,
    async close() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function answer({
  request,
  handlers,
}: {
  request: IncomingMessage;
  handlers: Record<string, BrokerHandler>;
}): Promise<{ status: number; value: Record<string, unknown> }> {
  const name = (request.url ?? '').replace(/^\//, '');
  const handler = request.method === 'POST' && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (!handler) return { status: 404, value: { error: `no such request: ${request.method} /${name.slice(0, 80)}` } };
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) return { status: 413, value: { error: 'the request is larger than 1 MB' } };
    chunks.push(chunk);
  }
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8') || '{}');
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    return { status: 400, value: { error: 'the request is not a JSON object' } };
  return { status: 200, value: await handler(body as Record<string, unknown>) };
}
