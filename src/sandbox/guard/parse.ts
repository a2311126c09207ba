/** A call from the child. */
export interface Call {
  /** Absent in `__abort__`. */
  id: string | number | undefined;
  guid: string;
  method: string;
  params: Record<string, unknown>;
}

/** More brackets and commas than this in one message: it would need far more memory parsed than it has bytes. */
const maxParts = 2_000_000;

/**
 * Reads a message of the child, or says why it is not one. The text is measured before it is parsed, so that neither depth nor number of
 * parts can be used up by a message of legal size.
 */
export function parseCall({ frame, maxDepth }: { frame: Buffer; maxDepth: number }): Call | string {
  const bytes = frame.subarray(0, -1);
  const { depth, parts } = measure(bytes);
  if (depth > maxDepth) return `JSON deeper than ${maxDepth}`;
  if (parts > maxParts) return `JSON of more than ${maxParts} parts`;
  let message: unknown;
  try {
    message = JSON.parse(bytes.toString());
  } catch {
    return 'no JSON';
  }
  if (!isRecord(message)) return 'no object';
  const { id, guid, method, params } = message;
  if (typeof guid !== 'string' || typeof method !== 'string') return 'no call';
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') return 'no call';
  if (params !== undefined && !isRecord(params)) return 'no call';
  return { id, guid, method, params: params ?? {} };
}

/** Whether a parsed value is an object with keys. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;

/** Greatest depth of brackets outside strings, and how many brackets and commas there are. */
function measure(bytes: Buffer): { depth: number; parts: number } {
  let depth = 0;
  let deepest = 0;
  let parts = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) at = endOfString(bytes, at);
    else if (byte === comma) parts += 1;
    else if (byte === 0x7b || byte === 0x5b) {
      parts += 1;
      depth += 1;
      if (depth > deepest) deepest = depth;
    } else if (byte === 0x7d || byte === 0x5d) depth -= 1;
  }
  return { depth: deepest, parts };
}

function endOfString(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at >= 0; at = bytes.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return bytes.length;
}
