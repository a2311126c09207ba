import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';
import { oneLine } from '../environments/clean-text.ts';

/** Where workers, which have no stdin, ask a person to press Enter. */
export interface EnterDesk {
  /** Path of its socket; workers find it in WEBWRIGHT_ENTER. */
  address: string;
  close(): void;
}

/**
 * Opens the desk in the main process. A worker connects and sends one line, which is printed; when a person presses Enter it is answered
 * `entered`, and `closed` when there is no terminal to press it at. Stdin is read only while somebody waits.
 */
export function openEnterDesk({
  input = process.stdin,
  print = text => console.log(text),
}: {
  input?: Readable;
  print?: (text: string) => void;
} = {}): EnterDesk {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-enter-'));
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\webwright-${folder.slice(-6)}-${process.pid}` : join(folder, 'enter.sock');
  const waiting = new Set<Socket>();
  let lines: Interface | undefined;

  const answer = (socket: Socket | undefined, text: 'entered' | 'closed') => {
    if (!socket) return;
    waiting.delete(socket);
    socket.end(`${text}\n`);
    if (waiting.size === 0) stop();
  };
  const stop = () => {
    const open = lines;
    lines = undefined;
    open?.close();
  };
  const listen = () => {
    const open = createInterface({ input });
    lines = open;
    open.on('line', () => answer([...waiting][0], 'entered'));
    // The end of stdin; closing it ourselves is no such end.
    open.on('close', () => {
      if (lines !== open) return;
      lines = undefined;
      for (const socket of waiting) answer(socket, 'closed');
    });
  };
  const server = createServer(socket => {
    socket.on('error', () => {});
    socket.on('close', () => {
      waiting.delete(socket);
      if (waiting.size === 0) stop();
    });
    socket.once('data', data => {
      // What comes from a worker must not steer the terminal.
      print(`webwright: ${oneLine(String(data), 400)} Press Enter to go on.`);
      waiting.add(socket);
      if (input.readableEnded || input.destroyed) answer(socket, 'closed');
      else if (!lines) listen();
    });
  });
  server.listen(address);
  server.unref();
  return {
    address,
    close() {
      stop();
      for (const socket of waiting) socket.destroy();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
