import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Names under which Playwright itself looks for a config. */
const names = ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map(extension => `playwright.config.${extension}`);

/** The Playwright config of a folder, or undefined. */
export function findUserConfig(folder: string): string | undefined {
  return names.map(name => join(folder, name)).find(path => existsSync(path));
}
