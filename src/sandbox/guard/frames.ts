/** Why bytes from one side cannot be read any further. */
export type FrameFault = 'too-long';

/**
 * Cuts a stream into Playwright's messages: JSON that ends with a NUL. `onFrame` gets each message with its NUL, so that it can be
 * passed on as it came. A message longer than `maxBytes` ends the reading; at most that much is ever held.
 */
export function createFrameReader({
  maxBytes,
  onFrame,
  onFault,
}: {
  maxBytes: number;
  onFrame: (frame: Buffer) => void;
  onFault: (fault: FrameFault) => void;
}): (chunk: Buffer) => void {
  let parts: Buffer[] = [];
  let held = 0;
  let broken = false;
  return chunk => {
    let start = 0;
    while (!broken && start < chunk.length) {
      const end = chunk.indexOf(0, start);
      const piece = chunk.subarray(start, end < 0 ? chunk.length : end + 1);
      if (held + piece.length > maxBytes) {
        broken = true;
        parts = [];
        onFault('too-long');
        return;
      }
      start += piece.length;
      if (end >= 0 && held === 0) {
        onFrame(piece);
        continue;
      }
      parts.push(piece);
      held += piece.length;
      if (end < 0) continue;
      const frame = Buffer.concat(parts);
      parts = [];
      held = 0;
      onFrame(frame);
    }
  };
}

/** A message as a frame. */
export function toFrame(message: unknown): Buffer {
  return Buffer.from(`${JSON.stringify(message)}\0`);
}
