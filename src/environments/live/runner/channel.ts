import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { FromChild, ToChild } from '../protocol.ts';

/** The child's end of fd 3: one JSON object a line in both directions. The process ends when the harness goes away. */
export function openChannel({ onMessage }: { onMessage: (message: ToChild) => void }): (message: FromChild) => void {
  const socket = new Socket({ fd: 3, readable: true, writable: true });
  let rest = '';
  socket.setEncoding('utf8');
  socket.on('data', chunk => {
    const lines = (rest + String(chunk)).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onMessage(JSON.parse(line) as ToChild);
  });
  socket.on('close', () => process.exit(0));
  socket.on('error', () => process.exit(0));
  return message => {
    socket.write(`${JSON.stringify(message)}\n`);
  };
}

/** Writes to standard output at once, also from code that never yields: what was printed before a kill is not lost. */
export function print(text: string | Uint8Array): void {
  let bytes = Buffer.from(text as string);
  while (bytes.length > 0) {
    try {
      bytes = bytes.subarray(writeSync(1, bytes));
    } catch (error) {
      // Code may have closed its own output; then there is nobody to print for.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
