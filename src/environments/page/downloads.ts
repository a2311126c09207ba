import { closeSync, mkdirSync, openSync, readSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Download as PlaywrightDownload } from '@playwright/test';
import type { Download } from '../../core/evidence.ts';
import { oneLine } from '../clean-text.ts';
import { within } from '../deadline.ts';
import type { ToChild } from '../live/protocol.ts';
import type { StepEvents } from './events.ts';

/** Reliability §7.5. */
const maxBytes = 50_000_000;
const maxDownloads = 20;
const finishMs = 30_000;
const previewBytes = 2_000;
const maxTextBytes = 500_000;

export interface Downloads {
  add(download: PlaywrightDownload): void;
  /** Text of a download for the code of a step: by name, or the newest. Throws in words for the model. */
  text(name?: string): Promise<string>;
  /** What was saved since the last call, with the beginning of its text. */
  takeNew(): { name: string; bytes: number; preview: string }[];
  /** Downloads that were saved; those still running are waited for, at most `timeoutMs`. */
  settled(timeoutMs?: number): Promise<Download[]>;
}

/** Saves what the browser downloads into `folder` of the harness, at most 20 files of at most 50 MB. */
export function collectDownloads({ folder, events }: { folder: string; events: StepEvents }): Downloads {
  const saved: Download[] = [];
  const running = new Set<Promise<void>>();
  let count = 0;
  let taken = 0;

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
      rmSync(path);
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
    async text(name) {
      await within({ promise: Promise.all(running), timeoutMs: 5_000, what: 'download' }).catch(() => {});
      const found = name === undefined ? saved.at(-1) : saved.findLast(each => each.name === name);
      if (!found)
        throw new Error(
          `there is no finished download ${name === undefined ? '' : `named "${name}"; there are: ${saved.map(each => each.name).join(', ') || 'none'}`}`.trim(),
        );
      const text = textOf({ path: found.path, bytes: maxTextBytes });
      if (text === null) throw new Error(`${found.name} is not text`);
      return text;
    },
    takeNew() {
      const fresh = saved.slice(taken);
      taken = saved.length;
      return fresh.map(({ name, path, bytes }) => ({ name, bytes, preview: textOf({ path, bytes: previewBytes }) ?? '(not text)' }));
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

/** The beginning of a file as text; null when it is not UTF-8 text. */
function textOf({ path, bytes }: { path: string; bytes: number }): string | null {
  const buffer = Buffer.alloc(bytes);
  const file = openSync(path, 'r');
  const length = readSync(file, buffer, 0, bytes, 0);
  closeSync(file);
  const text = new StringDecoder('utf8').write(buffer.subarray(0, length));
  return text.includes('\0') || text.includes('\uFFFD') ? null : text;
}

/** Answers what the code asked with `download.text()`. */
export async function answerDownload({
  downloads,
  ask,
  name,
  send,
}: {
  downloads: Downloads;
  ask: number;
  name: string | undefined;
  send: (message: ToChild) => void;
}): Promise<void> {
  const answer = await downloads.text(name).then(
    text => ({ text }),
    error => ({ error: (error as Error).message }),
  );
  send({ type: 'answer', ask, ...answer });
}
