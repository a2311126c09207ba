import { expect, test } from '@playwright/test';
import { openBrowserbaseSession } from '../../../src/environments/browser/browserbase.ts';
import { browserOfContext } from '../../../src/environments/browser/context-browser.ts';
import { hold } from '../../../src/environments/browser/hold.ts';
import { assertBrowserMode } from '../../../src/environments/browser/modes.ts';
import { profileFolder } from '../../../src/environments/browser/profile.ts';
import { startBrowserbase } from '../../runner/mode-servers.ts';

test('a browser mode that does not exist is refused, with the one that was meant', () => {
  expect(() => assertBrowserMode('local_cdp')).not.toThrow();
  expect(() => assertBrowserMode('Local-CDP')).toThrow('did you mean local_cdp?');
  expect(() => assertBrowserMode('browser_base')).toThrow('did you mean browserbase?');
  expect(() => assertBrowserMode('remote')).toThrow('known: runner, local_launch, local_persistent, local_cdp, browserbase');
});

test('D37 the profile folder: option, Webwright’s variables, default; tilde and relative paths', () => {
  const env = { HOME: '/home/mia' };
  expect(profileFolder({ profile: '~/shop', root: '/project', env })).toBe('/home/mia/shop');
  expect(profileFolder({ profile: 'profiles/shop', root: '/project', env })).toBe('/project/profiles/shop');
  expect(profileFolder({ profile: '', root: '/project', env: { ...env, BROWSER_USER_DATA_DIR: '~' } })).toBe('/home/mia');
  expect(profileFolder({ profile: '', root: '/project', env })).toBe('/home/mia/.cache/webwright/profile');
});

test('a held profile is waited for, then held; the holder is named; a wait has an end', async () => {
  const key = `profile of ${process.pid}`;
  const first = await hold({ key, who: 'the first test', timeoutMs: 1_000, onWait: () => {} });
  const told: string[] = [];
  expect(await hold({ key, who: 'impatient', timeoutMs: 50, onWait: () => {} })).toBeNull();
  const waiting = hold({
    key,
    who: 'the second test',
    timeoutMs: 10_000,
    onWait: holder => {
      told.push(holder);
      void first!.release();
    },
  });
  const second = await waiting;
  expect(second).not.toBeNull();
  expect(told).toEqual(['the first test']);
  await second!.release();
});

test('a browser that comes with its context says so when there is none', async () => {
  const browser = browserOfContext({ mode: 'local_cdp', open: async () => Promise.reject(new Error('no')) });
  expect(browser.contexts()).toEqual([]);
  expect(browser.isConnected()).toBe(false);
  expect(() => browser.version()).toThrow('With browserMode local_cdp the browser is there only while a test has its context');
  await expect(Promise.resolve(browser)).resolves.toBe(browser);
  expect(() => (browser as unknown as { _wrapApiCall(): void })._wrapApiCall()).toThrow('reuseContext');
  await browser.close();
});

test('Browserbase: no key, a refused key, a service that is down: in words, without the key', async () => {
  await expect(openBrowserbaseSession({ env: {} })).rejects.toThrow('BROWSERBASE_API_KEY is not set');
  const service = await startBrowserbase({ chrome: null, key: 'right-key-123', signingKey: '' });
  const env = { BROWSERBASE_API_KEY: 'wrong-key-456', BROWSERBASE_BASE_URL: service.url };
  const refused = await openBrowserbaseSession({ env }).catch((error: Error) => error.message);
  expect(refused).toContain('401');
  expect(refused).toContain('[redacted:BROWSERBASE_API_KEY]');
  expect(refused).not.toContain('wrong-key-456');
  await service.close();
  await expect(openBrowserbaseSession({ env })).rejects.toThrow('Browserbase gave no session');
});
