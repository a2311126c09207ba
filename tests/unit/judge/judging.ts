import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ModelCallError } from '../../../src/core/errors.ts';
import type { EvidenceItem } from '../../../src/core/evidence.ts';

/** A file that passes for a PNG and differs from every other name's. */
export function evidence(
  folder: string,
  id: string,
  { content = id, ...fields }: Partial<EvidenceItem> & { content?: string } = {},
): EvidenceItem {
  mkdirSync(folder, { recursive: true });
  const bytes = Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(content)]);
  const path = join(folder, `${id}.png`);
  writeFileSync(path, bytes);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  return {
    id,
    step: Number(id.slice(1)),
    source: 'harness',
    label: 'step',
    url: 'http://shop.localhost/',
    title: 'Shop',
    text: `text of ${id}`,
    image: { type: 'image', path, mediaType: 'image/png', sha256 },
    ...fields,
  };
}

export const never = new AbortController().signal;

export const unreachable = () => new ModelCallError({ failure: 'unreachable', what: 'no connection to the judge' });

/** A small seeded generator (mulberry32): the same garbage in every run. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const alphabet = [
  ...'abc XYZ:：*_`"\'“”{}[]()<>|/\\\n\r\t.,;?!-0123456789#>=',
  'Status',
  'status',
  'score',
  'Score',
  'success',
  'failure',
  'pass',
  'met',
  'CP1',
  '{"',
  '"}',
  '\u200b',
  '\ud83d',
  'Thoughts:',
];

/** Text that looks like a broken reply: made of the pieces real replies are made of, in random order. */
export function garbage(next: () => number): string {
  return Array.from({ length: Math.floor(next() * 60) }, () => alphabet[Math.floor(next() * alphabet.length)]).join('');
}
