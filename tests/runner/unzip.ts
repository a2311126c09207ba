import { inflateRawSync } from 'node:zlib';

/** The files of a ZIP archive by name (store and deflate, what Playwright writes). */
export function unzip(archive: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = archive.lastIndexOf(Buffer.from('PK\x05\x06'));
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left -= 1) {
    const [method, size, name, extra, comment, start] = [10, 20, 28, 30, 32, 42].map(offset =>
      offset === 20 || offset === 42 ? archive.readUInt32LE(at + offset) : archive.readUInt16LE(at + offset),
    ) as [number, number, number, number, number, number];
    const data = start + 30 + archive.readUInt16LE(start + 26) + archive.readUInt16LE(start + 28);
    const bytes = archive.subarray(data, data + size);
    files.set(archive.toString('utf8', at + 46, at + 46 + name), method === 8 ? inflateRawSync(bytes) : bytes);
    at += 46 + name + extra + comment;
  }
  return files;
}
