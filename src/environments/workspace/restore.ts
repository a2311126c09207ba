import { lstatSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageName } from '../../config/package-root.ts';
import { EnvironmentFault } from '../../core/environment.ts';
import { makeFolders, type WorkspaceLayout } from './layout.ts';

/** Puts back what a command removed. A workspace that cannot be put back is lost. */
export function restore({ layout, make }: { layout: WorkspaceLayout; make: () => void }): string[] {
  try {
    const made = makeFolders(layout);
    const door = join(layout.folder, 'node_modules', packageName);
    const missing = [layout.taskJson, door].filter(path => !lstatSync(path, { throwIfNoEntry: false })).map(path => basename(path));
    if (made.length + missing.length === 0) return [];
    make();
    return [`${[...made, ...missing].join(', ')} had been removed or replaced and was made again; leave what the harness writes alone`];
  } catch (error) {
    throw new EnvironmentFault(`the workspace cannot be used any more: ${(error as Error).message}`);
  }
}
