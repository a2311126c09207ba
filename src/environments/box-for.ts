import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { findPackageRoot } from '../config/package-root.ts';
import { type ChosenBox, chooseBox, type Wanted } from '../sandbox/box/choose-box.ts';
import type { Trial } from '../sandbox/box/self-test.ts';
import { playwrightPackages } from './playwright-packages.ts';

/** What code of the model may read besides what is given to it: this package's programs and the packages around it. Never a project's own files. */
export function readablePackages({ packageRoot, moduleUrl }: { packageRoot: string; moduleUrl: string }): string[] {
  const root = realpathSync(packageRoot);
  const packages = Object.values(playwrightPackages(moduleUrl));
  const around = [root, ...packages].flatMap(modulesFolder);
  return [...new Set([...around, join(root, 'node_modules'), join(root, 'package.json'), join(root, 'dist')])].filter(existsSync);
}

/** The nearest `node_modules` above a package, in which its own dependencies are found. */
function modulesFolder(folder: string): string[] {
  for (let above = dirname(folder); above !== dirname(above); above = dirname(above))
    if (basename(above) === 'node_modules') return [above];
  return [];
}

const chosen = new Map<string, Promise<ChosenBox>>();

/** The box for code of the model: the ladder is climbed once per worker and kind of use. */
export function boxFor({
  wanted,
  moduleUrl,
  ...trial
}: { wanted: Wanted; moduleUrl: string } & Omit<Trial, 'modulePath' | 'programs'>): Promise<ChosenBox> {
  const key = JSON.stringify([wanted, trial.network, trial.readable, trial.workspaces !== null]);
  const known = chosen.get(key);
  if (known) return known;
  const modulePath = join(playwrightPackages(moduleUrl)['playwright-core'], 'index.mjs');
  const dist = join(realpathSync(findPackageRoot(moduleUrl)), 'dist');
  const choice = chooseBox({ wanted, trial: { ...trial, modulePath, programs: trial.readable.filter(path => path === dist) } });
  chosen.set(key, choice);
  // A browser that was lost during the trial says nothing about the next one.
  choice.catch(() => chosen.delete(key));
  return choice;
}
