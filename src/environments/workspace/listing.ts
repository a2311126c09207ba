import { createHash } from 'node:crypto';
import { lstatSync, opendirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { imageName } from './run-names.ts';

/** A file of the workspace: path relative to it with `/`, size and time of the last change. */
export interface ListedFile {
  path: string;
  bytes: number;
  changedNs: bigint;
}

/** Not the agent's work: links to packages, temporary files, and what the harness itself writes. */
const skipped = new Set(['node_modules', '.tmp', 'steps', 'logs', 'command_history.sh', 'task.json']);

const maxEntries = 20_000;
const maxDepth = 12;

/**
 * The regular files of a workspace. Bounded in number and depth, follows no symlinks, and takes files that vanish while
 * it looks as not there (Webwright D33).
 */
export function listFiles(workspace: string): ListedFile[] {
  const files: ListedFile[] = [];
  let seen = 0;
  const visit = ({ folder, relative, depth }: { folder: string; relative: string; depth: number }) => {
    let directory: ReturnType<typeof opendirSync>;
    try {
      directory = opendirSync(folder);
    } catch {
      return;
    }
    try {
      for (let entry = directory.readSync(); entry && seen < maxEntries; entry = directory.readSync()) {
        seen += 1;
        if (depth === 0 && skipped.has(entry.name)) continue;
        const path = relative ? `${relative}/${entry.name}` : entry.name;
        if (entry.isDirectory() && depth < maxDepth) visit({ folder: join(folder, entry.name), relative: path, depth: depth + 1 });
        if (entry.isFile()) {
          const stat = statOf(join(folder, entry.name));
          if (stat) files.push({ path, bytes: Number(stat.size), changedNs: stat.mtimeNs });
        }
      }
    } catch {
      // the folder vanished while it was read
    } finally {
      directory.closeSync();
    }
  };
  visit({ folder: workspace, relative: '', depth: 0 });
  return files;
}

function statOf(path: string) {
  try {
    return lstatSync(path, { bigint: true });
  } catch {
    return undefined;
  }
}

/** A digest of names and sizes, for telling whether a workspace is still the one an attempt left. */
export function digestOfListing(files: readonly ListedFile[]): string {
  const lines = files.map(({ path, bytes }) => `${path} ${bytes}`).sort();
  return createHash('sha256').update(lines.join('\n')).digest('hex');
}

/** Files of `after` that are new or different, newest first. */
export function changedFiles({ before, after }: { before: ListedFile[]; after: ListedFile[] }): ListedFile[] {
  const known = new Map(before.map(file => [file.path, file]));
  return newestFirst(
    after.filter(file => {
      const old = known.get(file.path);
      return !old || old.bytes !== file.bytes || old.changedNs !== file.changedNs;
    }),
  );
}

/** The newest images, newest first. */
export function newestImages({ files, count }: { files: ListedFile[]; count: number }): ListedFile[] {
  return newestFirst(files.filter(file => imageName.test(file.path))).slice(0, count);
}

function newestFirst(files: ListedFile[]): ListedFile[] {
  return files.toSorted((a, b) => (a.changedNs === b.changedNs ? (a.path < b.path ? -1 : 1) : a.changedNs < b.changedNs ? 1 : -1));
}

/** Whether a resolved path lies inside a folder or is it. */
export function isInside({ path, folder }: { path: string; folder: string }): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
