import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebwrightError } from '../core/errors.ts';
import type { Task } from '../core/task.ts';
import { dataFolders, findData } from './find-data.ts';
import { taskFromOdysseysRow } from './odysseys-row.ts';

/** `all-200` is what the leaderboard uses; `core-120` are the tasks that still carry categories, as one version of the paper counts them. */
export type OdysseysSubset = 'all-200' | 'core-120';

/** Digest of `data/odysseys.json` in github.com/ljang0/Odysseys at commit a30d1bb (2026-05-18). */
const knownDigest = '0bb7081d740eb6237b72e7e33524cc9489e769c5e236ec54879a8eb06ebc48e0';
const source = 'https://raw.githubusercontent.com/ljang0/Odysseys/HEAD/data/odysseys.json';

/**
 * The Odysseys tasks (MIT, arXiv 2604.24964) in the order of the file, `tags` holding the categories and, for the smaller subset, `core120`.
 * Each task's `version` is the digest of the file it came from, followed by `+modified` when that is not the published one.
 * The file is `odysseys/odysseys.json` in `dataDir`, else where {@link findData} looks. Throws a WebwrightError with code DATA_MISSING.
 *
 * @example
 * loadOdysseys({ subset: 'core-120' }).length; // 120
 */
export function loadOdysseys({ subset = 'all-200', dataDir }: { subset?: OdysseysSubset; dataDir?: string } = {}): Task[] {
  const folders = dataDir === undefined ? dataFolders() : [dataDir];
  const path = findData({ file: 'odysseys/odysseys.json', folders });
  if (path === undefined) throw missing(folders);
  const bytes = readFileSync(path);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const version = `sha256:${digest.slice(0, 12)}${digest === knownDigest ? '' : '+modified'}`;
  const tasks = parseRows({ path, text: bytes.toString('utf8') }).map(row => {
    const task = taskFromOdysseysRow({ row, benchmark: 'odysseys', version });
    return task.raw?.['categories'] === undefined ? task : { ...task, tags: [...task.tags, 'core120'] };
  });
  return subset === 'core-120' ? tasks.filter(task => task.tags.includes('core120')) : tasks;
}

function parseRows({ path, text }: { path: string; text: string }): unknown[] {
  try {
    const rows = JSON.parse(text);
    if (Array.isArray(rows)) return rows;
  } catch {
    // Cut off or not JSON: the same error as for the wrong shape.
  }
  throw new WebwrightError({
    code: 'DATA_MISSING',
    what: 'The Odysseys file is not a JSON list of tasks',
    seen: `${path}: ${text.slice(0, 60)}`,
    remedy: `fetch it again: ${fetchCommand(path)}`,
  });
}

function missing(folders: string[]): WebwrightError {
  return new WebwrightError({
    code: 'DATA_MISSING',
    what: 'The Odysseys tasks are not on this machine',
    seen: `no odysseys/odysseys.json in ${folders.join(' or ')}`,
    remedy: `${fetchCommand(join(folders.at(-1)!, 'odysseys/odysseys.json'))}, or set WEBWRIGHT_DATA to the folder that has odysseys/odysseys.json`,
  });
}

const fetchCommand = (path: string) => `curl --create-dirs -fo "${path}" ${source}`;
