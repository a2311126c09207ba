import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

/** The environment a lookup depends on; injected in tests. */
export interface DataPlaces {
  env?: Record<string, string | undefined>;
  platform?: NodeJS.Platform;
  home?: string;
}

/**
 * The folders in which task sets are looked for, first wins: `WEBWRIGHT_DATA`, then the user's cache folder
 * (`XDG_CACHE_HOME`, `~/Library/Caches`, `%LOCALAPPDATA%`, else `~/.cache`).
 */
export function dataFolders({ env = process.env, platform = process.platform, home = homedir() }: DataPlaces = {}): string[] {
  const cache =
    env['XDG_CACHE_HOME'] ||
    (platform === 'darwin' && join(home, 'Library/Caches')) ||
    (platform === 'win32' && env['LOCALAPPDATA']) ||
    join(home, '.cache');
  return [env['WEBWRIGHT_DATA'], join(cache, 'playwright-webwright')].flatMap(folder => (folder ? [folder] : []));
}

/**
 * Path of a data file such as `odysseys/odysseys.json`, or undefined when no folder has it.
 *
 * @example
 * findData({ file: 'odysseys/odysseys.json' }); // '/home/me/.cache/playwright-webwright/odysseys/odysseys.json'
 */
export function findData({ file, folders = dataFolders() }: { file: string; folders?: string[] }): string | undefined {
  return folders.map(folder => join(folder, file)).find(path => existsSync(path));
}
