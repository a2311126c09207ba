import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { WebwrightError } from '../../core/errors.ts';

const line = z.looseObject({ runFolder: z.string().optional() });

/**
 * The run folders that a command line names: folders as they are, a `results.jsonl` by its lines. Paths in it are relative to the project, which
 * is looked for from the current folder and from the file's own folder upwards.
 */
export function findAttempts({ paths, cwd }: { paths: readonly string[]; cwd: string }): string[] {
  return paths.flatMap(given => {
    const path = resolve(cwd, given);
    if (!existsSync(path)) throw notThere(path);
    return statSync(path).isDirectory() ? [path] : foldersIn({ file: path, cwd });
  });
}

function foldersIn({ file, cwd }: { file: string; cwd: string }): string[] {
  const roots = [cwd, ...ancestorsOf(file)];
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean);
  return lines.flatMap((text, index) => {
    const folder = lineOf({ text, file, number: index + 1 }).runFolder;
    // A planned attempt that never was has no folder.
    if (folder === undefined) return [];
    const path = roots.map(root => join(root, folder)).find(candidate => existsSync(candidate));
    if (path) return [path];
    throw new WebwrightError({
      code: 'DATA_MISSING',
      what: `The run folder of line ${index + 1} of ${file} is not on this machine`,
      seen: folder,
      remedy: 'start the command in the project whose results these are, or copy its reports/runs here',
    });
  });
}

function lineOf({ text, file, number }: { text: string; file: string; number: number }) {
  try {
    return line.parse(JSON.parse(text));
  } catch {
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: `Line ${number} of ${file} is no result`,
      seen: text.slice(0, 100),
      remedy: 'give a results.jsonl of the benchmark reporter, or run folders',
    });
  }
}

function ancestorsOf(path: string): string[] {
  const parent = dirname(path);
  return parent === path ? [] : [parent, ...ancestorsOf(parent)];
}

function notThere(path: string): WebwrightError {
  return new WebwrightError({
    code: 'CONFIG_INVALID',
    what: 'There is nothing to judge here',
    seen: path,
    remedy: 'give reports/benchmark/results.jsonl, or run folders: reports/runs/<run>/<test>/<k>',
  });
}
