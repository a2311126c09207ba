import { createHash } from 'node:crypto';

/** Hex sha256 of bytes, or of a text in UTF-8. */
export function sha256Of(value: string | Uint8Array): string {
  return createHash('sha256').update(value).digest('hex');
}
