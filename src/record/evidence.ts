import { createHash } from 'node:crypto';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EvidenceItem } from '../core/evidence.ts';
import type { ImagePart } from '../core/messages.ts';

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

/** The `evidence/` folder of an attempt: images named by step and hash, an index beside them. Outside every box. */
export class EvidenceStore {
  readonly items: EvidenceItem[] = [];
  readonly #folder: string;
  readonly #redact: (text: string) => string;

  constructor({ folder, redact = text => text }: { folder: string; redact?: (text: string) => string }) {
    this.#folder = folder;
    this.#redact = redact;
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  }

  add({ step, source, label, url = '', title = '', text = '', fields = '', bytes, mediaType }: Capture): EvidenceItem {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    // Fresh looks are numbered apart: whether and when one was taken changes no other id, which recorded judges cite.
    const isFresh = (each: Pick<EvidenceItem, 'label' | 'source'>) => each.label === 'fresh' && each.source === 'harness';
    const kind = isFresh({ label, source });
    const id = `${kind ? 'f' : 'e'}${this.items.filter(each => isFresh(each) === kind).length + 1}`;
    const name = `step_${String(step).padStart(4, '0')}_${id}_${sha256.slice(0, 12)}.${extension[mediaType]}`;
    const path = join(this.#folder, name);
    writeFileSync(path, bytes, { flag: 'wx' });
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
    this.items.push(item);
    appendFileSync(join(this.#folder, 'index.jsonl'), `${JSON.stringify({ ...item, image: { ...item.image, path: name } })}\n`);
    return item;
  }
}
