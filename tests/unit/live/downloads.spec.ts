import { existsSync, mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Download } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { collectDownloads as collectLive } from '../../../src/environments/page/downloads.ts';
import { createStepEvents } from '../../../src/environments/page/events.ts';
import { collectDownloads as collectInWorkspace } from '../../../src/environments/workspace/downloads.ts';

/** What the browser offers: a name of the page's choice and some bytes. */
const offered = ({ name, bytes, size }: { name: string; bytes?: string; size?: number }) =>
  ({
    suggestedFilename: () => name,
    url: () => 'http://evil.localhost/x',
    cancel: async () => {},
    saveAs: async (path: string) => {
      writeFileSync(path, bytes ?? '');
      if (size !== undefined) truncateSync(path, size);
    },
  }) as unknown as Download;

const zip = 'PK\u0003\u0004 a bomb';
const files = [
  offered({ name: '../../etc/passwd', bytes: 'root' }),
  offered({ name: 'bomb.zip', bytes: zip }),
  offered({ name: 'huge.bin', size: 200_000_000 }),
];

test('H8 downloads of a live page: a name is no path, an archive stays one, what is too large is not kept', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-unit-'));
  const events = createStepEvents();
  const downloads = collectLive({ folder: join(folder, 'downloads'), events });
  for (const file of files) downloads.add(file);
  const saved = await downloads.settled();
  expect(readdirSync(folder)).toEqual(['downloads']);
  expect(readdirSync(join(folder, 'downloads')).sort()).toEqual(['download-1', 'download-2']);
  expect(saved.map(({ bytes }) => bytes)).toEqual([4, zip.length]);
  expect(readFileSync(saved[1]!.path, 'latin1')).toBe(zip);
  expect(events.drain().join('\n')).toContain('huge.bin (200 MB) was not kept');
});

test('H8 downloads of a workspace script are kept by the same rules', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-unit-'));
  const notes: string[] = [];
  const collector = collectInWorkspace({ folder: join(folder, 'downloads'), note: text => notes.push(text) });
  for (const file of files) collector.take(file);
  await collector.settled();
  expect(readdirSync(folder)).toEqual(['downloads']);
  expect(collector.downloads.map(({ name, bytes }) => [name, bytes])).toEqual([
    ['passwd', 4],
    ['bomb.zip', zip.length],
  ]);
  expect(existsSync(join(folder, 'downloads', 'download_3'))).toBe(false);
  expect(notes.join('\n')).toContain('huge.bin was not kept: 200000000 bytes');
});
