import { mkdirSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';

/** A file of the task, read. */
export interface InputFile {
  name: string;
  mimeType: string;
  bytes: Buffer;
}

const mimeTypes: Record<string, string> = {
  '.csv': 'text/csv',
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.gif': 'image/gif',
  '.html': 'text/html',
  '.jpeg': 'image/jpeg',
  '.jpg': 'image/jpeg',
  '.json': 'application/json',
  '.md': 'text/markdown',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain',
  '.webp': 'image/webp',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  '.xml': 'application/xml',
  '.zip': 'application/zip',
};

/** What a browser would say of a file with this name. */
export function mimeTypeOf(name: string): string {
  return mimeTypes[extname(name).toLowerCase()] ?? 'application/octet-stream';
}

/** The answer to `input(name)` of live code, in words where there is no such file. */
export function inputAnswer({ inputs, name }: { inputs: readonly InputFile[]; name: string }): { text: string } | { error: string } {
  const found = inputs.find(file => file.name === name);
  if (!found)
    return {
      error: `input(): the task has no file "${name.slice(0, 100)}"; there are: ${inputs.map(file => file.name).join(', ') || 'none'}`,
    };
  return { text: JSON.stringify({ name: found.name, mimeType: found.mimeType, base64: found.bytes.toString('base64') }) };
}

/** Puts the files into a folder, which is made. */
export function writeInputs({ folder, inputs }: { folder: string; inputs: readonly InputFile[] }): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, bytes } of inputs) writeFileSync(join(folder, name), bytes, { flag: 'wx' });
}
