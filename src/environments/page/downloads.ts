import { mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Download as PlaywrightDownload } from '@playwright/test';
import type { Download } from '../../core/evidence.ts';
import { beginningOf, type EvidenceStore } from '../../record/evidence.ts';
import { oneLine } from '../clean-text.ts';
import { within } from '../deadline.ts';
import type { ToChild } from '../live/protocol.ts';

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

/** Keeps what the browser downloads as evidence, at most 20 files of at most 50 MB. */
export function collectDownloads({
  evidence,
  step,
  say,
}: {
  evidence: EvidenceStore;
  /** The step of now. */
  step: () => number;
  /** Told of each file, and why one was not kept. */
  say: (text: string) => void;
}): Downloads {
  const running = new Set<Promise<void>>();
  let count = 0;
  let taken = 0;

  const save = async (download: PlaywrightDownload) => {
    const name = oneLine(download.suggestedFilename(), 120);
    count += 1;
    if (count > maxDownloads) {
      say(`${name} was refused: more than ${maxDownloads} downloads`);
      await download.cancel();
      return;
    }
    // The name on disk is ours; what the page suggests is shown only.
    const path = join(evidence.downloadFolder, `download-${count}`);
    mkdirSync(evidence.downloadFolder, { recursive: true, mode: 0o700 });
    await within({ promise: download.saveAs(path), timeoutMs: finishMs, what: 'download' });
    const { size } = statSync(path);
    if (size > maxBytes) {
      rmSync(path);
      say(`${name} (${megabytes(size)}) was not kept: more than ${megabytes(maxBytes)}`);
      return;
    }
    evidence.keepDownload({ step: step(), name, url: download.url(), path });
    say(`${name}, ${size} bytes, from ${oneLine(download.url(), 120)}`);
  };

  return {
    add(download) {
      const done: Promise<void> = save(download)
        .catch(error => {
          say(`${oneLine(download.suggestedFilename(), 120)} failed: ${oneLine((error as Error).message, 160)}`);
          void download.cancel().catch(() => {});
        })
        .finally(() => running.delete(done));
      running.add(done);
    },
    async text(name) {
      await within({ promise: Promise.all(running), timeoutMs: 5_000, what: 'download' }).catch(() => {});
      const saved = evidence.downloads;
      const found = name === undefined ? saved.at(-1) : saved.findLast(each => each.name === name);
      if (!found)
        throw new Error(
          `there is no finished download ${name === undefined ? '' : `named "${name}"; there are: ${saved.map(each => each.name).join(', ') || 'none'}`}`.trim(),
        );
      const text = beginningOf({ content: readFileSync(found.path), bytes: maxTextBytes });
      if (text === null) throw new Error(`${found.name} is not text`);
      return text;
    },
    takeNew() {
      const fresh = evidence.downloads.slice(taken);
      taken = evidence.downloads.length;
      return fresh.map(({ name, path, bytes }) => ({
        name,
        bytes,
        preview: beginningOf({ content: readFileSync(path), bytes: previewBytes }) ?? '(not text)',
      }));
    },
    async settled(timeoutMs = 5_000) {
      await within({ promise: Promise.all(running), timeoutMs, what: 'downloads' }).catch(() => {});
      return [...evidence.downloads];
    },
  };
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`;
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
