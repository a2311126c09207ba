import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/**
 * Tells connections that this very process makes to a loopback port of its own from everybody else's: Playwright sends `context.request` from here, past the
 * browser and without its credential. No other process can have the same local port at the same time.
 */
export function ownSockets(): { has(clientPort: number | undefined): boolean; close(): void } {
  const ports = new Set<number>();
  const onSocket = (message: unknown) => {
    const { socket } = message as { socket: Socket };
    socket.once('connect', () => {
      const { localPort } = socket;
      if (localPort === undefined) return;
      ports.add(localPort);
      socket.once('close', () => ports.delete(localPort));
    });
  };
  subscribe('net.client.socket', onSocket);
  return {
    has: clientPort => clientPort !== undefined && ports.has(clientPort),
    close: () => void unsubscribe('net.client.socket', onSocket),
  };
}
