import { chmodSync, lstatSync, mkdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { packageName } from '../../config/package-root.ts';
import type { Task } from '../../core/task.ts';
import { playwrightPackages } from '../playwright-packages.ts';
import { finalRunsFolder, finalScriptName } from './run-names.ts';
import { writeInside } from './write-inside.ts';

/** The places of a workspace (DESIGN §8). */
export interface WorkspaceLayout {
  folder: string;
  taskJson: string;
  finalScript: string;
  steps: string;
  logs: string;
  screenshots: string;
  finalRuns: string;
  temporary: string;
  history: string;
  binaries: string;
}

/** The places of the workspace in a folder; nothing is made. */
export function workspaceLayout(folder: string): WorkspaceLayout {
  return {
    folder,
    taskJson: join(folder, 'task.json'),
    finalScript: join(folder, finalScriptName),
    steps: join(folder, 'steps'),
    logs: join(folder, 'logs'),
    screenshots: join(folder, 'screenshots'),
    finalRuns: join(folder, finalRunsFolder),
    temporary: join(folder, '.tmp'),
    history: join(folder, 'command_history.sh'),
    binaries: join(folder, 'node_modules', '.bin'),
  };
}

/**
 * Makes the folders of a workspace that are missing. Those that only the harness writes must be real folders: a link or file in their
 * place is replaced, so that nothing is written elsewhere. Returns what was made or replaced. Throws what the file system says.
 */
export function makeFolders(layout: WorkspaceLayout): string[] {
  mkdirSync(layout.folder, { recursive: true });
  chmodSync(layout.folder, 0o755);
  const [, ...own] = ownFolders(layout).filter(path => path !== layout.screenshots && path !== layout.finalRuns);
  return [...own.filter(makeOwnFolder), ...[layout.screenshots, layout.finalRuns].filter(makeFolder)].map(path => basename(path));
}

/** The folders that the harness makes, the workspace first. */
export function ownFolders(layout: WorkspaceLayout): string[] {
  const modules = join(layout.folder, 'node_modules');
  const { folder, steps, logs, temporary, binaries, screenshots, finalRuns } = layout;
  return [folder, steps, logs, temporary, modules, binaries, join(modules, '@playwright'), screenshots, finalRuns];
}

function makeOwnFolder(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    chmodSync(path, 0o755); // a command may have closed it
    return false;
  }
  rmSync(path, { force: true });
  mkdirSync(path);
  return true;
}

/** The agent's own folders: what it puts in their place is its affair, and readers are careful. */
function makeFolder(path: string): boolean {
  if (lstatSync(path, { throwIfNoEntry: false })) return false;
  mkdirSync(path);
  return true;
}

/** Writes `task.json` as agents may see it: never the rubric, never the checks (DESIGN §6). */
export function writeTask({ layout, task }: { layout: WorkspaceLayout; task: Task }): void {
  const visible = {
    task: task.instruction,
    task_id: task.id,
    start_url: task.startUrls[0] ?? null,
    ...(task.startUrls.length > 1 && { start_urls: task.startUrls }),
  };
  writeInside({ workspace: layout.folder, relative: basename(layout.taskJson), text: `${JSON.stringify(visible, null, 2)}\n` });
}

/**
 * Makes `import … from 'playwright-webwright/script'` and Playwright's own packages resolve from every file and heredoc in the
 * workspace, wherever on disk it lies, and puts the `webwright` command beside them: during a command a client of the harness, and
 * the ordinary one for a person who comes later.
 */
export function linkPackages({
  layout,
  packageRoot,
  moduleUrl,
}: {
  layout: WorkspaceLayout;
  packageRoot: string;
  moduleUrl: string;
}): void {
  const targets = { [packageName]: packageRoot, ...playwrightPackages(moduleUrl) };
  for (const [name, target] of Object.entries(targets)) link({ target, path: join(layout.folder, 'node_modules', name) });
  const program = (...parts: string[]) => `'${join(packageRoot, 'dist', 'src', ...parts).replaceAll("'", "'\\''")}'`;
  const lines = [
    '#!/bin/sh',
    `[ -n "$BROWSER_ENDPOINT" ] && exec node ${program('environments', 'workspace', 'command.js')} "$@"`,
    `exec node ${program('cli', 'main.js')} "$@"`,
  ];
  writeInside({ workspace: layout.folder, relative: 'node_modules/.bin/webwright', text: `${lines.join('\n')}\n`, mode: 0o755 });
}

function link({ target, path }: { target: string; path: string }): void {
  const existing = lstatSync(path, { throwIfNoEntry: false });
  if (existing?.isSymbolicLink() && readlinkSync(path) === target) return;
  if (existing) rmSync(path, { recursive: true });
  symlinkSync(target, path, 'dir');
}
