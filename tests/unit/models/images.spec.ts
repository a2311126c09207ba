import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import sharp from 'sharp';
import { imageEncoder } from '../../../src/models/images.ts';

const folder = mkdtempSync(join(tmpdir(), 'webwright-images-'));

async function sentSize({ width, height, scale, maxEdgePx = 2048 }: { width: number; height: number; scale?: number; maxEdgePx?: number }) {
  const path = join(folder, `${width}x${height}.png`);
  writeFileSync(
    path,
    await sharp({ create: { width, height, channels: 3, background: 'teal' } })
      .png()
      .toBuffer(),
  );
  const encode = imageEncoder({ onUnreadable: image => expect(image.path).toBe('readable') });
  const image = { type: 'image', path, mediaType: 'image/png', sha256: path, ...(scale === undefined ? {} : { scale }) } as const;
  const encoded = await encode({ image, maxEdgePx });
  const { width: sentWidth, height: sentHeight } = await sharp(Buffer.from(encoded!.base64, 'base64')).metadata();
  return [sentWidth, sentHeight];
}

test('an image is sent as large as the model sees, and no larger', async () => {
  expect(await sentSize({ width: 1280, height: 1800 })).toEqual([1280, 1800]);
  expect(await sentSize({ width: 1280, height: 1800, maxEdgePx: 900 })).toEqual([640, 900]);
});

test('a judge may ask for a share of it, but never for less than 1,000 pixels, or 720 where nothing must be read', async () => {
  expect(await sentSize({ width: 1280, height: 1800, scale: 0.75 })).toEqual([960, 1350]);
  expect(await sentSize({ width: 1280, height: 1800, scale: 0.5 })).toEqual([711, 1000]);
  expect(await sentSize({ width: 1280, height: 1800, scale: 0.4 })).toEqual([512, 720]);
  expect(await sentSize({ width: 1280, height: 1800, scale: 0.1 })).toEqual([512, 720]);
  expect(await sentSize({ width: 800, height: 600, scale: 0.5 })).toEqual([800, 600]);
  expect(await sentSize({ width: 1280, height: 1800, scale: 0.9, maxEdgePx: 900 })).toEqual([640, 900]);
});
