import { createHash } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularFile } from './read-regular-file.ts';
import { byStepThenName, exitCodeName, finalScriptName, imageName, logName, runPath } from './run-names.ts';

/** A run folder is read no further than this. */
export const runLimits = { scriptBytes: 1_000_000, logBytes: 2_000_000, imageBytes: 15_000_000, images: 200 };

/** What a run is made of: file names, relative to its folder, and their digests. The export of a verdict is no part of it. */
export type RunFiles = ReadonlyMap<string, string>;

/** The files of a run as they are now; what is no regular file has the digest `unreadable`. */
export function runFilesOf({ workspace, run }: { workspace: string; run: number }): RunFiles {
  const folder = runPath({ workspace, run });
  const images = imageNames(folder)
    .slice(0, runLimits.images)
    .map(name => `screenshots/${name}`);
  const files = new Map<string, string>();
  for (const name of [finalScriptName, logName, exitCodeName, ...images]) {
    const file = readRegularFile({ path: join(folder, name), maxBytes: runLimits.imageBytes });
    if (file.ok) files.set(name, digest(file.bytes));
    else if (file.why !== 'missing') files.set(name, 'unreadable');
  }
  return files;
}

/** What is different, in words; empty when nothing is. */
export function changesIn({ before, after }: { before: RunFiles; after: RunFiles }): string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap(name => {
    if (before.get(name) === after.get(name)) return [];
    return `${name} ${!after.has(name) ? 'is gone' : before.has(name) ? 'was changed' : 'was added'}`;
  });
}

/** Names of the images in a run's `screenshots/`, in the order of the steps. */
export function imageNames(folder: string): string[] {
  try {
    return readdirSync(join(folder, 'screenshots'))
      .filter(name => imageName.test(name))
      .sort(byStepThenName);
  } catch {
    return [];
  }
}

export function digest(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}
