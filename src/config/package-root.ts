import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WebwrightError } from '../core/errors.ts';

export const packageName = 'playwright-webwright';

/**
 * The folder of this package, found by walking up from a module to the `package.json` that bears our name: the same
 * from the sources and from `dist/`.
 *
 * @example
 * findPackageRoot(import.meta.url); // '/home/me/project/node_modules/playwright-webwright'
 */
export function findPackageRoot(moduleUrl: string): string {
  for (let folder = dirname(fileURLToPath(moduleUrl)); ; folder = dirname(folder)) {
    const manifest = join(folder, 'package.json');
    if (existsSync(manifest) && nameIn(manifest) === packageName) return folder;
    if (dirname(folder) === folder) {
      throw new WebwrightError({
        code: 'INTERNAL',
        what: `The package ${packageName} is incomplete: no package.json above its own code`,
        seen: fileURLToPath(moduleUrl),
        remedy: `npm install ${packageName}`,
      });
    }
  }
}

function nameIn(manifest: string): unknown {
  try {
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { name?: unknown }).name;
  } catch {
    return undefined; // a broken package.json on the way up is not ours
  }
}
