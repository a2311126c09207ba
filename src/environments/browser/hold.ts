import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A browser or profile that this process alone uses for now. */
export interface Hold {
  release(): Promise<void>;
}

/**
 * Waits until nobody else holds `key`, and holds it. The lock is a listening socket, so it ends with its process, however that ends;
 * on Linux and Windows its name is no file, so nothing is left behind either. Null: somebody else kept it for `timeoutMs`.
 *
 * @param onWait told once who holds it.
 */
export async function hold({
  key,
  who,
  timeoutMs,
  onWait,
}: {
  key: string;
  who: string;
  timeoutMs: number;
  onWait: (holder: string) => void;
}): Promise<Hold | null> {
  const address = addressOf(key);
  const deadline = AbortSignal.timeout(timeoutMs);
  for (let waited = false; !deadline.aborted; ) {
    const held = await listen({ address, who });
    if (held) return held;
    await untilReleased({
      address,
      signal: deadline,
      onHolder: holder => {
        if (!waited) onWait(holder);
        waited = true;
      },
    });
  }
  return null;
}

function addressOf(key: string): string {
  const name = `webwright-hold-${createHash('sha256').update(key).digest('hex').slice(0, 24)}`;
  if (process.platform === 'linux') return `\0${name}`;
  return process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : join(tmpdir(), name);
}

/** Null: the address is taken. Whoever connects is told who holds it, and learns of the release by the end of the connection. */
function listen({ address, who }: { address: string; who: string }): Promise<Hold | null> {
  const waiting = new Set<Socket>();
  const server: Server = createServer(socket => {
    waiting.add(socket);
    socket.on('close', () => waiting.delete(socket)).on('error', () => {});
    socket.write(who);
  });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => (error.code === 'EADDRINUSE' ? resolve(null) : reject(error)));
    server.listen(address, () => {
      server.unref();
      resolve({
        async release() {
          const closed = new Promise(done => server.close(done));
          for (const socket of waiting) socket.destroy();
          await closed;
        },
      });
    });
  });
}

function untilReleased({
  address,
  signal,
  onHolder,
}: {
  address: string;
  signal: AbortSignal;
  onHolder: (holder: string) => void;
}): Promise<void> {
  return new Promise(resolve => {
    const socket = createConnection(address);
    const stop = () => socket.destroy();
    signal.addEventListener('abort', stop, { once: true });
    socket.on('data', data => onHolder(String(data)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // A socket file whose process is gone.
      if (error.code === 'ECONNREFUSED' && address.startsWith('/')) rmSync(address, { force: true });
    });
    socket.on('close', () => {
      signal.removeEventListener('abort', stop);
      resolve();
    });
  });
}
