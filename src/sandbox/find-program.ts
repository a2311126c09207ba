import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Absolute path of a program on a search path, or undefined. A box gets its tools by this path: inside, the first folders of the search path
 * belong to the model.
 *
 * @example
 * findProgram({ name: 'bash', searchPath: '/usr/local/bin:/usr/bin' }); // '/usr/bin/bash'
 */
export function findProgram({ name, searchPath }: { name: string; searchPath: string }): string | undefined {
  return searchPath
    .split(delimiter)
    .filter(Boolean)
    .map(folder => join(folder, name))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
