import type { ImagePart } from '../../core/messages.ts';

/** What an image is by its first bytes, whatever its name says; undefined for anything that no judge can be shown. */
export function imageTypeOf(bytes: Buffer): ImagePart['mediaType'] | undefined {
  if (bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex'))) return 'image/png';
  if (bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex'))) return 'image/jpeg';
  if (bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP') return 'image/webp';
  return undefined;
}
