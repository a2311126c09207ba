import { connect, createServer, type Socket } from 'node:net';

/** A unix socket that stands for another one. */
export interface Relay {
  close(): Promise<void>;
}

/** Passes every connection to the socket at `from` on to the one at `to`: it brings a door of the harness to where a box can see it. */
export async function startRelay({ from, to }: { from: string; to: string }): Promise<Relay> {
  const sockets = new Set<Socket>();
  const server = createServer(inner => {
    const outer = connect(to);
    for (const [one, other] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(from, resolve);
  });
  return {
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
