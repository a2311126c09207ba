import { mkdirSync, rmSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Download as BrowserDownload } from '@playwright/test';
import type { Download } from '../../core/evidence.ts';

const maxFiles = 20;
const maxBytes = 50_000_000;
const settleMs = 5_000;

/** The harness's own copies of what the browser downloads. Stored under numbers: a name from a page is never a path. */
export function collectDownloads({ folder, note }: { folder: string; note: (text: string) => void }) {
  const downloads: Download[] = [];
  const pending = new Set<Promise<void>>();
  let count = 0;
  const keep = async (download: BrowserDownload, number: number) => {
    const name = basename(download.suggestedFilename()).slice(0, 200);
    if (number > maxFiles) return note(`download ${number} (${name}) was not kept: at most ${maxFiles} are`);
    try {
      const path = join(folder, `download_${number}`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      await download.saveAs(path);
      const { size } = statSync(path);
      if (size > maxBytes) {
        rmSync(path);
        return note(`download ${name} was not kept: ${size} bytes, at most ${maxBytes} are`);
      }
      downloads.push({ name, path, bytes: size });
    } catch (error) {
      note(`download ${name} could not be kept: ${(error as Error).message.split('\n')[0]}`);
    }
  };
  return {
    downloads,
    take(download: BrowserDownload): void {
      count += 1;
      const work = keep(download, count);
      pending.add(work);
      work.finally(() => pending.delete(work));
    },
    /** Waits, for at most 5 s, until what has begun is kept. */
    async settled(): Promise<void> {
      if (pending.size === 0) return;
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>(resolve => {
        timer = setTimeout(resolve, settleMs);
      });
      await Promise.race([Promise.allSettled(pending), late]);
      clearTimeout(timer);
    },
  };
}
