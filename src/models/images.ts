import { readFile } from 'node:fs/promises';
import type { ImagePart } from '../core/messages.ts';

/** An image as it is sent. */
export interface EncodedImage {
  mediaType: ImagePart['mediaType'];
  base64: string;
  sha256: string;
}

/** An image of at most this many bytes that needs no scaling is sent as it is. Base64 makes it 1.33 times as large; Anthropic takes 5 MB an image. */
const maxUnscaledBytes = 1_500_000;

/** `ImagePart.scale` never asks for a shorter longer edge than this: text on a page stays readable, or, below half size, headings and layout stay recognisable. */
const minScaledEdgePx = (scale: number) => (scale < 0.5 ? 720 : 1_000);

/** Encoded images kept in memory, newest first out of use last: a conversation shows the same screenshots again and again. */
const maxKept = 64;

/**
 * Reads and encodes images, each digest and size only once. An image whose longer edge is above `maxEdgePx`, or above the share of it that `image.scale` asks for, is scaled down
 * and sent as JPEG (quality 80, transparent pixels on white); the model would scale it down anyway, after the bytes were paid for in
 * time. Null for a file that is missing or is no image.
 */
export function imageEncoder({ onUnreadable }: { onUnreadable: (image: ImagePart) => void }) {
  const kept = new Map<string, Promise<EncodedImage | null>>();
  return ({ image, maxEdgePx }: { image: ImagePart; maxEdgePx: number }): Promise<EncodedImage | null> => {
    const key = `${image.sha256} ${maxEdgePx} ${image.scale ?? 1}`;
    const encoded = kept.get(key) ?? encode({ image, maxEdgePx, onUnreadable });
    kept.delete(key);
    kept.set(key, encoded);
    for (const oldest of kept.keys()) if (kept.size > maxKept) kept.delete(oldest);
    return encoded;
  };
}

async function encode({
  image,
  maxEdgePx,
  onUnreadable,
}: {
  image: ImagePart;
  maxEdgePx: number;
  onUnreadable: (image: ImagePart) => void;
}): Promise<EncodedImage | null> {
  try {
    const bytes = await readFile(image.path);
    const { default: sharp } = await import('sharp');
    const { width, height } = await sharp(bytes).metadata();
    const longer = Math.max(width, height);
    const { scale = 1 } = image;
    const edgePx = Math.min(maxEdgePx, Math.max(minScaledEdgePx(scale), Math.round(scale * longer)));
    if (longer <= edgePx && bytes.byteLength <= maxUnscaledBytes) {
      return { mediaType: image.mediaType, base64: bytes.toString('base64'), sha256: image.sha256 };
    }
    const scaled = await sharp(bytes)
      .resize({ width: edgePx, height: edgePx, fit: 'inside', withoutEnlargement: true })
      .flatten({ background: 'white' })
      .jpeg({ quality: 80 })
      .toBuffer();
    return { mediaType: 'image/jpeg', base64: scaled.toString('base64'), sha256: image.sha256 };
  } catch {
    onUnreadable(image);
    return null;
  }
}

/**
 * The longer edge, in pixels, above which a model sees no more:
 * - Claude: 1568 (Anthropic, "Vision": a longer edge above 1568 px is scaled down first). Opus 4.7 and later take 2576 px at
 *   three times the tokens; ask for it with `imageMaxEdgePx`.
 * - OpenAI and everything that speaks chat completions: 2048 (OpenAI, "Images and vision": high detail first fits an image into 2048 × 2048).
 */
export function usefulEdgePx(modelName: string): number {
  return /claude/i.test(modelName) ? 1568 : 2048;
}
