import type { Download, EvidenceItem } from '../core/evidence.ts';
import type { ItemVerdict } from '../core/verdict.ts';
import { headAndTail } from './clean-text.ts';
import type { Fence } from './fence.ts';

/** What a verdict may cite by its id. */
export type Citable = Pick<EvidenceItem, 'id' | 'source' | 'url' | 'text'>;

/** Commas of a CSV outside of quotation marks. */
const separators = /,(?=(?:[^"\n]*"[^"\n]*")*[^"\n]*$)/gm;

/**
 * A file the browser saved: the harness kept it, so it shows what a site handed out, as a page does what it says; its address tells whether
 * code made it inside the page instead (`blob:`). Fields of a CSV are set apart, so that `Bread,589` holds the number 589.
 */
export function citableFile({ id, name, url, text }: Download): Citable {
  return { id, source: 'harness', url, text: /\.csv$/i.test(name) ? text.replace(separators, ', ') : text };
}

/** A check: code of the harness found it true, and then it proves; one that failed can only be cited against something. */
export function citableCheck({ id, status, seen = '' }: ItemVerdict): Citable {
  return { id, source: status === 'pass' ? 'harness' : 'claim', url: '', text: seen };
}

/** Saved files as judges see them; nothing where there is none. */
export function filesText({ files, fence, limit = 8_000 }: { files: readonly Download[]; fence: Fence; limit?: number }): string[] {
  const share = Math.min(limit, Math.floor(24_000 / Math.max(1, files.length)));
  return files.map(({ id, name, url, bytes, text }) => {
    const lines = [`name: ${name}`, `from: ${url.slice(0, 2_000)}`, `size: ${bytes} bytes`];
    const body = text === '' ? 'text: (none)' : `text:\n${headAndTail({ text, limit: share })}`;
    return `File ${id}, saved by the browser and kept by the harness:\n${fence.wrap('file', [...lines, body].join('\n'))}`;
  });
}
