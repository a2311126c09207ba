import { expect, test } from '@playwright/test';
import { type BrowserHost, chromiumArgs, findChromium } from '../../../src/config/browser.ts';

const host = (changes: Partial<BrowserHost> & { present?: string[] }): BrowserHost => ({
  platform: 'linux',
  env: { PATH: '/usr/local/bin:/usr/bin' },
  playwrightPaths: headed => (headed ? ['/pw/chrome'] : ['/pw/shell', '/pw/chrome']),
  isExecutable: path => (changes.present ?? []).includes(path),
  isRoot: false,
  ...changes,
});
const found = (changes: Parameters<typeof host>[0], headed = false) => findChromium({ headed, host: host(changes) });

test("Playwright's own comes first: the headless shell, else the full one; windows need the full one", () => {
  const present = ['/pw/shell', '/pw/chrome', '/usr/bin/chromium'];
  expect(found({ present })).toMatchObject({ source: 'playwright', executablePath: '/pw/shell' });
  expect(found({ present: present.slice(1) })).toMatchObject({ source: 'playwright', executablePath: '/pw/chrome' });
  expect(found({ present }, true)).toMatchObject({ executablePath: '/pw/chrome' });
  expect(found({ present: ['/pw/shell', '/usr/bin/chromium'] }, true)).toMatchObject({
    source: 'system',
    executablePath: '/usr/bin/chromium',
  });
});

test('then a browser of the system, by name along PATH', () => {
  expect(found({ present: ['/usr/bin/chromium', '/usr/local/bin/chromium-browser'] })?.executablePath).toBe('/usr/bin/chromium');
  expect(found({ present: ['/usr/bin/chromium'], env: { PATH: '/elsewhere' } })).toBeNull();
  const shell = { present: ['/usr/bin/chromium', '/usr/bin/chromium-headless-shell'] };
  expect(found(shell)?.executablePath).toBe('/usr/bin/chromium-headless-shell');
  expect(found(shell, true)?.executablePath).toBe('/usr/bin/chromium');
});

test('macOS applications, also those of the user', () => {
  const path = '/Users/a/Applications/Chromium.app/Contents/MacOS/Chromium';
  expect(found({ platform: 'darwin', env: { HOME: '/Users/a' }, present: [path] })?.executablePath).toBe(path);
});

test('Windows folders', () => {
  const env = { LOCALAPPDATA: 'L:' };
  expect(
    found({ platform: 'win32', env, isExecutable: path => path.startsWith('L:') && path.endsWith('chrome.exe') })?.executablePath,
  ).toContain('Google');
});

test('no browser, no guess', () => {
  expect(found({ present: [] })).toBeNull();
});

test('as root without a sandbox; always without background traffic', () => {
  expect(chromiumArgs({ isRoot: true })).toContain('--no-sandbox');
  expect(chromiumArgs({ isRoot: false })).toEqual([
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-first-run',
  ]);
});
