import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { expect, test } from '@playwright/test';
import { refusedAddress, refusedParameter } from '../../../src/sandbox/guard/inspect.ts';
import { protocolOf, protocolWarning } from '../../../src/sandbox/guard/installed-protocol.ts';
import { ruleFor, unknownCalls } from '../../../src/sandbox/guard/policy.ts';

const require = createRequire(import.meta.url);
const core = dirname(
  createRequire(createRequire(require.resolve('@playwright/test')).resolve('playwright')).resolve('playwright-core/package.json'),
);
const protocol = protocolOf(core) ?? [];
const ruleOf = (name: string) => {
  const [type = '', method = ''] = name.split('.');
  return ruleFor({ type, method });
};

test('B6 every call of the installed playwright-core is allowed or refused by name', () => {
  expect(protocol.length).toBeGreaterThan(300);
  expect(unknownCalls(protocol)).toEqual([]);
  expect(protocolWarning(core)).toBeNull();
});

test('B6 a call that is not known is refused, also of a known type, and a version that has one is told of', () => {
  expect(ruleOf('Page.teleport')).toBeUndefined();
  expect(ruleOf('Ufo.fly')).toBeUndefined();
  expect(ruleOf('Frame.constructor')).toBeUndefined();
  expect(ruleOf('constructor.name')).toBeUndefined();
  expect(unknownCalls(['Frame.goto', 'Page.teleport', 'Tracing.somethingNew'])).toEqual(['Page.teleport']);
  expect(protocolWarning('/nowhere')).toContain('does not list its calls');
});

test('B3 what reaches files, sessions, other browsers or the network of the harness is never allowed', () => {
  const never = protocol.filter(name =>
    /^(LocalUtils|BrowserType|CDPSession|APIRequestContext|Tracing|Android\w*|Electron\w*|Debug\w*|SocksSupport|JsonPipe|WritableStream)\./.test(
      name,
    ),
  );
  never.push(
    'Browser.startServer',
    'Browser.stopServer',
    'Browser.newBrowserCDPSession',
    'BrowserContext.newCDPSession',
    'Browser.newContextForReuse',
    'Playwright.newRequest',
    'Artifact.saveAs',
    'Artifact.pathAfterFinished',
    'BrowserContext.storageState',
    'BrowserContext.cookies',
    'BrowserContext.addCookies',
    'BrowserContext.createTempFiles',
    'BrowserContext.exposeBinding',
    'Page.addInitScript',
    'Frame.setContent',
    'BrowserContext.setOffline',
    'BrowserContext.clockInstall',
    'Page.screencastStart',
    'BrowserContext.pause',
    'BrowserContext.registerSelectorEngine',
  );
  const kindOf = (name: string) => ruleOf(name)?.is ?? 'unknown';
  // Closing one's own context ends its requests too.
  expect(never.filter(name => !['refused', 'group'].includes(kindOf(name)))).toEqual(['APIRequestContext.dispose']);
  expect(kindOf('APIRequestContext.dispose')).toBe('own');
});

test('every refusal says what to use instead, in one or two sentences', () => {
  const odd = protocol.filter(name => {
    const rule = ruleOf(name);
    return rule && 'instead' in rule && !/^\S.{10,160}\.$/.test(rule.instead);
  });
  expect(odd).toEqual([]);
});

const parameter = (call: string, params: Record<string, unknown>, cookies = false) =>
  refusedParameter({ call, params, cookies, knows: guid => guid === 'known' });

test('B2 a parameter that names a path of the host is refused in every call, at any depth', () => {
  const keys = [
    'localPaths',
    'localDirectory',
    'path',
    'dir',
    'recordVideo',
    'recordHar',
    'tracesDir',
    'downloadsPath',
    'proxy',
    'harPath',
  ];
  const passed = protocol.flatMap(call =>
    keys
      .filter(key =>
        [{ [key]: '/etc/passwd' }, { options: [{ inner: { [key]: ['/etc/passwd'] } }] }].some(
          params => !parameter(call, params)?.includes(key),
        ),
      )
      .map(key => `${call} ${key}`),
  );
  expect(passed).toEqual([]);
  expect(parameter('Frame.drop', JSON.parse('{"selector":"a","__proto__":{"localPaths":["/etc/passwd"]}}'))).toContain('localPaths');
});

test('B2 what only looks like a path of the host passes', () => {
  const value = {
    o: [
      { k: 'path', v: { s: '/etc/passwd' } },
      { k: 'localPaths', v: { a: [] } },
    ],
  };
  expect(parameter('Frame.evaluateExpression', { expression: 'x', arg: { value, handles: [] } })).toBeUndefined();
  expect(parameter('Frame.setInputFiles', { selector: 'a', payloads: [{ name: 'a.txt', buffer: 'aGk=' }] })).toBeUndefined();
  expect(parameter('Browser.newContext', { viewport: { width: 1, height: 1 }, selectorEngines: [] })).toBeUndefined();
  expect(parameter('Browser.newContext', { selectorEngines: [{ name: 'x', source: '1' }] })).toContain('selectors');
  expect(parameter('Browser.newContext', { storageState: { cookies: [] } })).toContain('Log in');
  const cookie = { name: 'a', value: 'b', domain: 'shop.example', path: '/' };
  expect(parameter('BrowserContext.addCookies', { cookies: [cookie] }, true)).toBeUndefined();
  expect(parameter('Browser.newContext', { storageState: { cookies: [cookie] } }, true)).toBeUndefined();
  expect(parameter('Frame.click', { path: '/' }, true)).toContain('path');
});

test('B9 an object that was not announced cannot be named in a parameter', () => {
  expect(parameter('Page.screenshot', { mask: [{ frame: { guid: 'known' }, selector: 'a' }] })).toBeUndefined();
  expect(parameter('Page.screenshot', { mask: [{ frame: { guid: 'frame@judge' }, selector: 'a' }] })).toContain('not there');
});

test('B1 addresses are read as the browser reads them', () => {
  const refused = [
    'file:///etc/passwd',
    'FILE:///etc/passwd',
    ' file:///etc/passwd',
    'fi\tle:///etc/passwd',
    'file:\\\\/etc/passwd',
    '\u0000file:///etc/passwd',
    'file:etc/passwd',
    'view-source:file:///etc/passwd',
    'view-source:http://shop.example/',
    'javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<h1>Order placed</h1>',
    'blob:http://shop.example/1',
    'filesystem:http://shop.example/temporary/a',
    'chrome://settings',
    'chrome-extension://abc/index.html',
    'devtools://devtools/bundled/inspector.html',
    'about:srcdoc',
    'ftp://shop.example/',
    'ws://shop.example/',
    'localhost:3000',
    'nowhere',
    '//',
    '',
  ];
  for (const url of refused) expect.soft(refusedAddress({ url, base: undefined }), JSON.stringify(url)).toBeTruthy();
  for (const url of [
    'http://shop.example/a?b#c',
    'HTTPS://SHOP.EXAMPLE',
    ' https://shop.example ',
    'about:blank',
    'about:blank#x',
    'http:\\\\shop.example',
  ])
    expect.soft(refusedAddress({ url, base: undefined }), url).toBeUndefined();
});

test('B1 relative addresses follow the base of the context, whatever it is', () => {
  expect(refusedAddress({ url: '/kettles', base: 'http://shop.example/' })).toBeUndefined();
  expect(refusedAddress({ url: 'passwd', base: 'file:///etc/' })).toContain('file: address');
});
