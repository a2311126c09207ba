import { dirname, join } from 'node:path';
import { childEnvironment, modelKeysIn } from '../../sandbox/child-environment.ts';
import type { WorkspaceLayout } from './layout.ts';
import type { WorkspaceOptions } from './options.ts';

/** Everything a command finds in its environment: the harness's variables under Webwright's names (webwright.md §2.3) and the task's own. */
export function commandEnvironment({
  layout,
  socket,
  browserMode,
  launchOptions,
  own,
}: {
  layout: WorkspaceLayout;
  /** Of the broker. */
  socket: string;
  browserMode: NonNullable<WorkspaceOptions['browserMode']>;
  launchOptions: WorkspaceOptions['launchOptions'];
  own: Record<string, string>;
}): Record<string, string> {
  // HOME is the workspace, so Playwright must be told where the user's browsers are.
  const cache = process.env.XDG_CACHE_HOME ?? join(process.env.HOME ?? '/', '.cache');
  return childEnvironment({
    base: {
      PATH: [layout.binaries, dirname(process.execPath), process.env.PATH ?? '/usr/bin:/bin'].join(':'),
      HOME: layout.folder,
      LANG: 'C.UTF-8',
      TMPDIR: layout.temporary,
      WORKSPACE_DIR: layout.folder,
      FINAL_SCRIPT_PATH: layout.finalScript,
      TASK_JSON: layout.taskJson,
      BROWSER_MODE: browserMode,
      BROWSER_ENDPOINT: socket,
      ...(browserMode === 'launch' && launchOptions && { BROWSER_LAUNCH_OPTIONS: JSON.stringify(launchOptions) }),
      PLAYWRIGHT_BROWSERS_PATH: process.env.PLAYWRIGHT_BROWSERS_PATH ?? join(cache, 'ms-playwright'),
    },
    own,
    modelKeys: modelKeysIn(process.env),
  });
}
