import { accessSync, constants, existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from '@playwright/test';

/** A Chromium that can be launched. */
export interface FoundChromium {
  source: 'playwright' | 'system';
  executablePath: string;
  /** Arguments our launches need besides Playwright's own. */
  args: string[];
}

/** What {@link findChromium} looks at; injected in tests. */
export interface BrowserHost {
  platform: NodeJS.Platform;
  env: Readonly<Record<string, string | undefined>>;
  /** Where Playwright keeps its own Chromium, whether or not it is installed, best first. */
  playwrightPaths: (headed: boolean) => string[];
  isExecutable: (path: string) => boolean;
  isRoot: boolean;
}

const namesOnPath = ['google-chrome', 'google-chrome-stable', 'chromium', 'chromium-browser', 'chrome', 'microsoft-edge'];
/** Debian's package of the browser that Playwright itself uses for headless runs; it starts in less than half the time of the full one. */
const headlessOnPath = ['chromium-headless-shell'];
const shellNames = ['chrome-headless-shell', 'chrome-headless-shell.exe', 'headless_shell', 'headless_shell.exe'];

/**
 * The Chromium to use: Playwright's own when it is installed, else a Chrome, Chromium or Edge of the system, else null.
 *
 * @example
 * const found = findChromium();
 * if (found) await chromium.launch({ executablePath: found.executablePath, args: found.args });
 */
export function findChromium({ headed = false, host = thisHost() }: { headed?: boolean; host?: BrowserHost } = {}): FoundChromium | null {
  const args = chromiumArgs(host);
  const own = host.playwrightPaths(headed).find(host.isExecutable);
  if (own) return { source: 'playwright', executablePath: own, args };
  const system = systemCandidates({ host, headed }).find(host.isExecutable);
  return system ? { source: 'system', executablePath: system, args } : null;
}

/** Launch arguments: nothing in the background, no first-run pages; and as root no sandbox, which Chromium refuses to start with. */
export function chromiumArgs({ isRoot }: Pick<BrowserHost, 'isRoot'> = thisHost()): string[] {
  const quiet = ['--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'];
  return isRoot ? ['--no-sandbox', ...quiet] : quiet;
}

function systemCandidates({ host: { platform, env }, headed }: { host: BrowserHost; headed: boolean }): string[] {
  const inPath = (env['PATH'] ?? '').split(delimiter).filter(Boolean);
  const names = headed ? namesOnPath : [...headlessOnPath, ...namesOnPath];
  const onPath = names.flatMap(name => inPath.map(folder => join(folder, name)));
  if (platform === 'darwin') {
    const apps = ['Google Chrome', 'Chromium', 'Microsoft Edge'].map(name => `${name}.app/Contents/MacOS/${name}`);
    return [
      ...['/Applications', join(env['HOME'] ?? '/', 'Applications')].flatMap(folder => apps.map(app => join(folder, app))),
      ...onPath,
    ];
  }
  if (platform === 'win32') {
    const roots = ['PROGRAMFILES', 'PROGRAMFILES(X86)', 'LOCALAPPDATA'].flatMap(name => env[name] ?? []);
    const programs = [
      ['Google', 'Chrome', 'Application', 'chrome.exe'],
      ['Chromium', 'Application', 'chrome.exe'],
      ['Microsoft', 'Edge', 'Application', 'msedge.exe'],
    ];
    return programs.flatMap(program => roots.map(root => join(root, ...program)));
  }
  return onPath;
}

function thisHost(): BrowserHost {
  return { platform: process.platform, env: process.env, playwrightPaths, isExecutable, isRoot: process.getuid?.() === 0 };
}

/**
 * Where Playwright keeps its own Chromium. Headless launches take a browser of their own, the headless shell, which lies
 * beside the full Chromium; either will do for them, and only the full one has windows.
 */
function playwrightPaths(headed: boolean): string[] {
  const full = chromium.executablePath();
  const [, browsers, revision] = /^(.*)[\\/]chromium-(\d+)[\\/]/.exec(full) ?? [];
  if (headed || browsers === undefined) return [full];
  const shellFolder = join(browsers, `chromium_headless_shell-${revision}`);
  const builds = existsSync(shellFolder) ? readdirSync(shellFolder) : [];
  return [...builds.flatMap(build => shellNames.map(name => join(shellFolder, build, name))), full];
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
