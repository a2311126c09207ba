import { mkdtempSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Download } from '@playwright/test';
import { expect, test } from '@playwright/test';
import { collectDownloads } from '../../../src/environments/page/downloads.ts';
import { EventLog } from '../../../src/record/event-log.ts';
import { EvidenceStore } from '../../../src/record/evidence.ts';

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

const zip = 'PK\u0003\u0004\u0000 a bomb';
const files = [
  offered({ name: '../../etc/passwd', bytes: 'root' }),
  offered({ name: 'bomb.zip', bytes: zip }),
  offered({ name: 'huge.bin', size: 200_000_000 }),
];

test('H8 downloads: a name is no path, an archive stays one, what is too large is not kept, and what is kept is evidence', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-unit-'));
  const said: string[] = [];
  const log = new EventLog({ path: join(folder, 'events.jsonl'), now: () => new Date(0) });
  const evidence = new EvidenceStore({ folder: join(folder, 'evidence'), log });
  const downloads = collectDownloads({ evidence, step: () => 3, say: text => said.push(text) });
  for (const file of files) downloads.add(file);
  const saved = await downloads.settled();
  expect(readdirSync(folder).sort()).toEqual(['events.jsonl', 'evidence']);
  expect(readdirSync(evidence.downloadFolder).sort()).toEqual(['download-1', 'download-2']);
  expect(saved.map(({ id, bytes, text }) => [id, bytes, text])).toEqual([
    ['d1', 4, 'root'],
    ['d2', zip.length, ''],
  ]);
  expect(readFileSync(saved[1]!.path, 'latin1')).toBe(zip);
  expect(said.join('\n')).toContain('huge.bin (200 MB) was not kept');
  expect(log.events).toMatchObject([
    { type: 'download-kept', step: 3, id: 'd1', file: 'download-1', url: 'http://evil.localhost/x', sha256: saved[0]!.sha256 },
    { type: 'download-kept', id: 'd2' },
  ]);
});
