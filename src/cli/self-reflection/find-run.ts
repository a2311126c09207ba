import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, extname, join } from 'node:path';
import { WebwrightError } from '../../core/errors.ts';
import type { ImagePart } from '../../core/messages.ts';
import { byStepThenName, imageName, logName } from '../../environments/workspace/run-names.ts';

/** The newest `run_<n>` in a folder that has images in `screenshots/`, and those in the order of their steps; null when there is none. */
export function findRun(runs: string): { folder: string; images: string[] } | null {
  const numbers = namesIn(runs).flatMap(name => /^run_(\d{1,9})$/.exec(name)?.[1] ?? []);
  for (const number of numbers.sort((a, b) => Number(b) - Number(a))) {
    const folder = join(runs, `run_${number}`);
    const images = namesIn(join(folder, 'screenshots')).filter(name => imageName.test(name));
    if (images.length > 0) return { folder, images: images.sort(byStepThenName).map(name => join(folder, 'screenshots', name)) };
  }
  return null;
}

/** The log of a run: beside the one `screenshots/` folder that all images are in, else in the first of the folders that has one; null: none has. */
export function logBeside({ images, folders }: { images: readonly string[]; folders: readonly (string | undefined)[] }): string | null {
  const [parent, ...others] = [...new Set(images.map(path => dirname(path)))];
  const common = parent !== undefined && others.length === 0 && basename(parent) === 'screenshots' ? dirname(parent) : undefined;
  const path = [common, ...folders].flatMap(folder => (folder === undefined ? [] : join(folder, logName))).find(each => existsSync(each));
  return path === undefined ? null : readFileSync(path, 'utf8');
}

const mediaTypes: Record<string, ImagePart['mediaType']> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
};

/** Images from disk. Throws CONFIG_INVALID for one that is not there or is of another kind, before any is paid for. */
export function imageParts(paths: readonly string[]): ImagePart[] {
  return paths.map(path => {
    const mediaType = mediaTypes[extname(path).toLowerCase()];
    if (!mediaType || !existsSync(path))
      throw new WebwrightError({
        code: 'CONFIG_INVALID',
        what: mediaType ? 'An image is not there' : 'This is no image that a judge can read',
        seen: path,
        remedy: 'PNG, JPEG or WebP; relative paths start at --workspace-dir',
      });
    return { type: 'image', path, mediaType, sha256: createHash('sha256').update(readFileSync(path)).digest('hex') };
  });
}

function namesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}
