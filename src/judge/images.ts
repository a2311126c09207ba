import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { WebwrightError } from '../core/errors.ts';
import type { ImagePart } from '../core/messages.ts';

/** What a judge is shown besides a picture's bytes. An `EvidenceItem` of the record is one. */
export interface JudgedImage {
  id: string;
  image: ImagePart;
  url: string;
  title: string;
  /** Visible text of the page at that moment. */
  text: string;
  /** What stood in its fields, one a line. */
  fields?: string;
  /** `claim`: made by the agent; it cannot prove a point alone. */
  source: 'harness' | 'claim';
  label: string;
}

/** True for the final address as the harness opened it anew; no name that an agent gives makes one. */
export function isFresh({ label, source }: Pick<JudgedImage, 'label' | 'source'>): boolean {
  return label === 'fresh' && source === 'harness';
}

/** Without fresh looks that read like the newest picture of the same address: they would only be paid for again. */
export function withoutEqualFresh<T extends Pick<JudgedImage, 'label' | 'source' | 'url' | 'text'>>(images: readonly T[]): T[] {
  const plain = (text: string) => text.replace(/\s+/g, ' ').trim();
  const own = images.filter(image => !isFresh(image));
  return images.filter(image => !isFresh(image) || plain(own.findLast(({ url }) => url === image.url)?.text ?? '') !== plain(image.text));
}

/**
 * Each picture once: of equal pages the newest stays, and one captured by the harness is preferred to the agent's copy of it. Equal bytes
 * with another text are two: what the picture does not show may have changed below it. The last state of a script keeps the name that the script gave
 * the same picture. Order is kept.
 */
export function distinctImages<T extends Pick<JudgedImage, 'image' | 'source' | 'label' | 'text' | 'fields' | 'url'>>(
  images: readonly T[],
): T[] {
  const captured = new Set(images.filter(({ source }) => source === 'harness').map(({ image }) => image.sha256));
  const kept = new Map<string, T>();
  for (const item of images) {
    if (item.source === 'claim' && captured.has(item.image.sha256)) continue;
    const key = JSON.stringify([item.image.sha256, item.source, item.url, item.text, item.fields ?? '']);
    const before = kept.get(key);
    kept.delete(key);
    kept.set(key, before && item.label === 'end' ? { ...item, label: before.label } : item);
  }
  return [...kept.values()];
}

const signatures: Record<ImagePart['mediaType'], (bytes: Buffer) => boolean> = {
  'image/png': bytes => bytes.subarray(0, 8).equals(Buffer.from('89504e470d0a1a0a', 'hex')),
  'image/jpeg': bytes => bytes.subarray(0, 3).equals(Buffer.from('ffd8ff', 'hex')),
  'image/webp': bytes => bytes.subarray(0, 4).toString('latin1') === 'RIFF' && bytes.subarray(8, 12).toString('latin1') === 'WEBP',
};

/**
 * Checks every image before anything is paid for: the file exists, is not empty, has the bytes it had when it was recorded, and is
 * what its type says. Throws a {@link WebwrightError} with code `EVIDENCE` that names the first that is not.
 */
export async function validateImages(images: readonly Pick<JudgedImage, 'id' | 'image'>[]): Promise<void> {
  for (const { id, image } of images) {
    const bytes = await readFile(image.path).catch((error: NodeJS.ErrnoException) => error);
    const seen =
      bytes instanceof Error
        ? `${bytes.code ?? bytes.message}`
        : bytes.length === 0
          ? 'an empty file'
          : createHash('sha256').update(bytes).digest('hex') !== image.sha256
            ? 'other bytes than were recorded'
            : signatures[image.mediaType](bytes)
              ? null
              : `no ${image.mediaType}`;
    if (seen === null) continue;
    throw new WebwrightError({
      code: 'EVIDENCE',
      what: `Image ${id} cannot be judged: ${image.path}`,
      seen,
      remedy: 'take the screenshot again; nothing was sent to a judge',
    });
  }
}
