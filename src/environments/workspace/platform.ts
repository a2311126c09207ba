import { WebwrightError } from '../../core/errors.ts';

/**
 * Throws PLATFORM where the workspace environment does not run: it needs bash, process groups and unix sockets as Linux has them.
 *
 * @example
 * assertWorkspaceSupported('win32'); // throws: what is missing and what to use instead
 */
export function assertWorkspaceSupported(platform: NodeJS.Platform): void {
  if (platform === 'linux') return;
  const why =
    platform === 'win32'
      ? 'commands of the model are bash scripts in a process group of their own, which Windows does not have'
      : 'commands that leave their process group can be found and ended on Linux only';
  throw new WebwrightError({
    code: 'PLATFORM',
    what: `The workspace environment does not run on ${platform}: ${why}`,
    seen: `process.platform = ${platform}`,
    remedy: 'use the live environment (test from playwright-webwright, overlay local_browser.yaml), or run in Linux (WSL 2, a container)',
  });
}
