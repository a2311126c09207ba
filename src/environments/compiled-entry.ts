import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebwrightError } from '../core/errors.ts';

/**
 * Path of the compiled file of a child-process entry, which plain Node must be able to run. From `dist` it is the file
 * beside the caller; from sources (our own tests) its twin under `dist`.
 *
 * @example
 * spawn(process.execPath, [compiledEntry({ from: import.meta.url, entry: 'runner' })]);
 */
export function compiledEntry({ from, entry }: { from: string; entry: string }): string {
  const file = fileURLToPath(from);
  const folder = dirname(file);
  const path = file.endsWith('.ts')
    ? join(packageRoot(folder), 'dist', relative(packageRoot(folder), folder), `${entry}.js`)
    : join(folder, `${entry}.js`);
  if (existsSync(path)) return path;
  throw new WebwrightError({ code: 'INTERNAL', what: 'A compiled file is missing', seen: path, remedy: 'npm run build' });
}

function packageRoot(folder: string): string {
  if (existsSync(join(folder, 'package.json'))) return folder;
  const parent = dirname(folder);
  if (parent === folder) throw new Error('no package.json above the sources');
  return packageRoot(parent);
}
