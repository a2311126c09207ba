import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Download as PlaywrightDownload } from '@playwright/test';
import type { Download } from '../../core/evidence.ts';
import { oneLine } from '../clean-text.ts';
import { within } from '../deadline.ts';
import type { StepEvents } from './events.ts';

/** Reliability §7.5. */
const maxBytes = 50_000_000;
const maxDownloads = 20;
const finishMs = 30_000;

export interface Downloads {
  add(download: PlaywrightDownload): void;
  /** Downloads that were saved; those still running are waited for, at most `timeoutMs`. */
  settled(timeoutMs?: number): Promise<Download[]>;
}

/** Saves what the browser downloads into `folder` of the harness, at most 20 files of at most 50 MB. */
export function collectDownloads({ folder, events }: { folder: string; events: StepEvents }): Downloads {
  const saved: Download[] = [];
  const running = new Set<Promise<void>>();
  let count = 0;

  const save = async (download: PlaywrightDownload) => {
    const name = oneLine(download.suggestedFilename(), 120);
    count += 1;
    if (count > maxDownloads) {
      events.add('download', `${name} was refused: more than ${maxDownloads} downloads`);
      await download.cancel();
      return;
    }
    // The name on disk is ours; what the page suggests is shown only.
    const path = join(folder, `download-${count}`);
    mkdirSync(folder, { recursive: true });
    await within({ promise: download.saveAs(path), timeoutMs: finishMs, what: 'download' });
    const { size } = statSync(path);
    if (size > maxBytes) {
      events.add('download', `${name} (${megabytes(size)}) was not kept: more than ${megabytes(maxBytes)}`);
      return;
    }
    saved.push({ name, path, bytes: size });
    events.add('download', `${name}, ${size} bytes, from ${oneLine(download.url(), 120)}`);
  };

  return {
    add(download) {
      const done: Promise<void> = save(download)
        .catch(error => {
          events.add('download', `${oneLine(download.suggestedFilename(), 120)} failed: ${oneLine((error as Error).message, 160)}`);
          void download.cancel().catch(() => {});
        })
        .finally(() => running.delete(done));
      running.add(done);
    },
    async settled(timeoutMs = 5_000) {
      await within({ promise: Promise.all(running), timeoutMs, what: 'downloads' }).catch(() => {});
      return [...saved];
    },
  };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
}
