import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import type { Download, EvidenceItem } from '../core/evidence.ts';
import type { ImagePart } from '../core/messages.ts';
import type { EventLog } from './event-log.ts';
import { sha256Of } from './sha256.ts';

export type { EvidenceItem } from '../core/evidence.ts';

/** What is handed in to {@link EvidenceStore.add}. */
export interface Capture {
  step: number;
  source: EvidenceItem['source'];
  label: string;
  url?: string;
  title?: string;
  text?: string;
  fields?: string;
  bytes: Buffer;
  mediaType: ImagePart['mediaType'];
}

const extension = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;

/** The list of the images, one line each. */
export const evidenceIndex = 'index.jsonl';

/**
 * The `evidence/` folder of an attempt: images named by step and hash, an index beside them. Outside every box. Each item is an event of
 * the log, so that images and index are part of its chain; what cannot be written ends the attempt ({@link EventLog.fail}).
 */
export class EvidenceStore {
  readonly items: EvidenceItem[] = [];
  readonly downloads: Download[] = [];
  /** Where what the browser saves is put before {@link keepDownload}. */
  readonly downloadFolder: string;
  readonly #folder: string;
  readonly #log: EventLog | undefined;
  readonly #redact: (text: string) => string;

  constructor({ folder, log, redact = text => text }: { folder: string; log?: EventLog; redact?: (text: string) => string }) {
    this.#folder = folder;
    this.downloadFolder = join(folder, 'downloads');
    this.#log = log;
    this.#redact = redact;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  add({ step, source, label, url = '', title = '', text = '', fields = '', bytes, mediaType }: Capture): EvidenceItem {
    const sha256 = sha256Of(bytes);
    // Fresh looks are numbered apart: whether and when one was taken changes no other id, which recorded judges cite.
    const isFresh = (each: Pick<EvidenceItem, 'label' | 'source'>) => each.label === 'fresh' && each.source === 'harness';
    const kind = isFresh({ label, source });
    const id = `${kind ? 'f' : 'e'}${this.items.filter(each => isFresh(each) === kind).length + 1}`;
    const name = `step_${String(step).padStart(4, '0')}_${id}_${sha256.slice(0, 12)}.${extension[mediaType]}`;
    const path = join(this.#folder, name);
    const clean = (value: string) => this.#redact(value.toWellFormed());
    const item: EvidenceItem = {
      id,
      step,
      source,
      label: clean(label),
      url: clean(url),
      title: clean(title),
      text: clean(text).slice(0, 4_000),
      fields: clean(fields).slice(0, 2_000),
      image: { type: 'image', path, mediaType, sha256 },
    };
    const entry = JSON.stringify({ ...item, image: { ...item.image, path: name } });
    try {
      writeFileSync(path, bytes, { flag: 'wx' });
      appendFileSync(join(this.#folder, evidenceIndex), `${entry}\n`);
    } catch (error) {
      throw this.#log?.fail({ error, path }) ?? error;
    }
    this.#log?.append({ type: 'evidence-captured', step, id, sha256, entrySha256: sha256Of(entry), source });
    this.items.push(item);
    return item;
  }

  /** Makes a file in {@link downloadFolder} evidence. */
  keepDownload({ step, name, url, path }: { step: number; name: string; url: string; path: string }): Download {
    const content = readFileSync(path);
    const clean = (value: string) => this.#redact(value.toWellFormed());
    const download: Omit<Download, 'path'> = {
      id: `d${this.downloads.length + 1}`,
      name: clean(name),
      url: clean(url),
      bytes: content.length,
      sha256: sha256Of(content),
      text: clean(beginningOf({ content, bytes: 32_000 }) ?? '').slice(0, 8_000),
    };
    this.#log?.append({ type: 'download-kept', step, file: basename(path), ...download });
    this.downloads.push({ ...download, path });
    return { ...download, path };
  }
}

/** The beginning of what is UTF-8 text; null for anything else. A character that is cut in two is left out. */
export function beginningOf({ content, bytes }: { content: Buffer; bytes: number }): string | null {
  const text = new StringDecoder('utf8').write(content.subarray(0, bytes));
  return text.includes('\0') || text.includes('\uFFFD') ? null : text;
}
