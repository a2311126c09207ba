import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Rung } from '../../sandbox/box/box.ts';
import { type ChosenBox, chooseBox } from '../../sandbox/box/choose-box.ts';
import { playwrightPackages } from './playwright-packages.ts';

/** What commands may read besides their workspace: this package's programs, the packages around it, and the browsers. Never a project's own files. */
export function readableForCommands({
  packageRoot,
  moduleUrl,
  browsers,
}: {
  packageRoot: string;
  moduleUrl: string;
  browsers: string;
}): string[] {
  const root = realpathSync(packageRoot);
  const packages = Object.values(playwrightPackages(moduleUrl));
  const around = [root, ...packages].flatMap(modulesFolder);
  return [...new Set([...around, join(root, 'node_modules'), join(root, 'package.json'), join(root, 'dist'), browsers])].filter(existsSync);
}

/** The nearest `node_modules` above a package, in which its own dependencies are found. */
function modulesFolder(folder: string): string[] {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (basename(above) === 'node_modules') return [above];
  return [];
}

const chosen = new Map<string, Promise<ChosenBox>>();

/** The box for commands: the ladder is climbed once per worker. */
export function boxForCommands({
  require,
  moduleUrl,
  readable,
}: {
  require: Rung | null;
  moduleUrl: string;
  readable: readonly string[];
}): Promise<ChosenBox> {
  const key = JSON.stringify([require, readable]);
  const known = chosen.get(key);
  if (known) return known;
  const choice = chooseBox({ require, modulePath: join(playwrightPackages(moduleUrl)['playwright-core'], 'index.mjs'), readable });
  chosen.set(key, choice);
  return choice;
}
