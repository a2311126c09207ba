import { resolve } from 'node:path';
import { isInside } from './listing.ts';
import { readRegularFile } from './read-regular-file.ts';

const door = 'playwright-webwright/script';

/**
 * Whether a command looks as if it opens a page through the harness: it, or a script file that it names, imports the door. Only a guess, so
 * that browser and page can be made while Node still starts; nothing depends on it.
 */
export function opensBrowser({ code, workspace }: { code: string; workspace: string }): boolean {
  if (code.includes(door)) return true;
  const files = code.match(/[\w./-]+\.m?[jt]s\b/g) ?? [];
  return files.slice(0, 5).some(name => {
    const path = resolve(workspace, name);
    const file = isInside({ path, folder: workspace }) ? readRegularFile({ path, maxBytes: 200_000 }) : undefined;
    return file?.ok === true && file.bytes.includes(door);
  });
}
