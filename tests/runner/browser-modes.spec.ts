import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { findChromium } from '../../src/config/browser.ts';
import { answersCdp } from '../../src/environments/browser/start-chrome.ts';
import { freePort, startBrowserbase, startPersonsChrome, startWeb } from './mode-servers.ts';
import { makeProject, runProject } from './project.ts';

const key = 'bb_live_key_of_the_test';
const signingKey = 'signing-key-of-the-test';

const spec = `
import { test, expect } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
import { writeFileSync } from 'node:fs';
const { ORIGIN, SECURE } = process.env;
const judges = scriptedJudge({ points: ['it is open'], looks: ['success'] });
test.use({
  baseURL: ORIGIN, locale: 'de-DE', timezoneId: 'Asia/Tokyo', viewport: { width: 700, height: 500 }, ignoreHTTPSErrors: true,
  httpCredentials: { username: 'mia', password: 'secret' },
  storageState: {
    cookies: [{ name: 'session', value: 'of-mia', domain: '127.0.0.1', path: '/', expires: -1, httpOnly: false, secure: false, sameSite: 'Lax' }],
    origins: [{ origin: ORIGIN, localStorage: [{ name: 'basket', value: 'kettle' }] }],
  },
  agentModel: scripted({ ...judges, agent: [
    { playwright_code: "await page.goto('/agent'); return [context.pages().length, await page.title()].join(' ')" },
    { done: true, final_response: 'open' },
  ] }),
});
test('one page', async ({ page, context, browser, agent }, { project }) => {
  await page.goto('/author');
  const tabs = context.pages().length;
  const run = await agent.run('Open the page.');
  await expect(page).toHaveTitle('/agent');
  await page.goto('/auth');
  const facts = {
    tabs,
    seen: JSON.parse(JSON.stringify(run.result.steps ?? null)),
    version: browser.version() === context.browser().version(),
    auth: Buffer.from((await page.locator('#auth').textContent()).replace('Basic ', ''), 'base64').toString(),
    cookie: await page.locator('#cookie').textContent(),
    ...await page.evaluate(() => ({
      zone: Intl.DateTimeFormat().resolvedOptions().timeZone, language: navigator.language, width: innerWidth, height: innerHeight,
      basket: localStorage.getItem('basket'),
    })),
  };
  const popup = page.waitForEvent('popup');
  await page.evaluate(() => { open('/popup'); });
  facts.popup = await (await popup).evaluate(() => navigator.language + ' ' + Intl.DateTimeFormat().resolvedOptions().timeZone);
  await (await popup).close();
  await page.goto(SECURE + '/tls');
  facts.tls = await page.title();
  if (project.metadata.proxied) {
    await page.goto('http://shop.invalid/');
    facts.proxy = await page.title();
  }
  writeFileSync(project.name + '.json', JSON.stringify(facts));
});
test('the next test is clean', async ({ page, context }) => {
  expect(page.url()).toBe('about:blank');
  expect(context.pages()).toHaveLength(1);
});
`;

test('browser modes: the page is the agent’s, and the options of the Playwright config hold in each', async () => {
  test.slow();
  const [web, chrome, server, port] = await Promise.all([
    startWeb(),
    startPersonsChrome(),
    chromium.launchServer({ executablePath: findChromium()!.executablePath, args: findChromium()!.args }),
    freePort(),
  ]);
  const browserbase = await startBrowserbase({ chrome: chrome.url, key, signingKey });
  const person = await chromium.connectOverCDP(chrome.url);
  const bank = await person.contexts()[0]!.newPage();
  await bank.setContent('<title>My bank account</title>');
  const proxy = { server: web.proxy, bypass: '127.0.0.1' };
  const project = (name: string, use: object, metadata: object = {}) => ({ name, use, metadata });
  const projects = [
    project('runner', { proxy }, { proxied: true }),
    project('connect', { connectOptions: { wsEndpoint: server.wsEndpoint() } }),
    project('local_launch', { browserMode: 'local_launch', connectOptions: { wsEndpoint: 'ws://127.0.0.1:1' }, proxy }, { proxied: true }),
    project('local_persistent', { browserMode: 'local_persistent', profile: './profile', proxy }, { proxied: true }),
    project('local_cdp', { browserMode: 'local_cdp', cdp: { url: chrome.url } }),
    project(
      'local_cdp started',
      { browserMode: 'local_cdp', cdp: { url: `http://127.0.0.1:${port}` }, profile: mkdtempSync(join(tmpdir(), 'webwright-p-')), proxy },
      { proxied: true },
    ),
    project('browserbase', { browserMode: 'browserbase', browserbase: { apiUrl: browserbase.url, projectId: 'p-1' } }),
  ];
  const folder = makeProject({
    'modes.spec.ts': spec,
    'playwright.config.ts': `export default { workers: 1, outputDir: './test-results', reporter: [['json', { outputFile: 'report.json' }]],
      use: { trace: 'on', screenshot: 'on' }, projects: ${JSON.stringify(projects)} };`,
  });
  try {
    const run = await runProject({
      folder,
      env: { ORIGIN: web.origin, SECURE: web.secureOrigin, BROWSERBASE_API_KEY: key, PW_TEST_CONNECT_WS_ENDPOINT: undefined },
    });
    expect(run.tests.flatMap(each => each.errors.map(error => `${each.project} ${each.title}: ${error.slice(0, 900)}`))).toEqual([]);
    expect(run.exitCode, run.stdout).toBe(0);
    for (const { name, metadata } of projects) {
      expect.soft(JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')), name).toMatchObject({
        tabs: 1,
        version: true,
        auth: 'mia:secret',
        cookie: 'session=of-mia',
        zone: 'Asia/Tokyo',
        language: 'de-DE',
        width: 700,
        height: 500,
        basket: 'kettle',
        popup: 'de-DE Asia/Tokyo',
        tls: '/tls',
        ...('proxied' in metadata ? { proxy: 'through the proxy: http://shop.invalid/' } : {}),
      });
    }
    const artefacts = run.tests.filter(each => each.title === 'one page').map(each => each.attachments.map(({ name }) => name));
    for (const names of artefacts) expect.soft(names).toEqual(expect.arrayContaining(['trace', 'screenshot']));
    expect(browserbase.requests.map(({ path }) => path.replace(/[\w-]{36}$/, 'id'))).toEqual([
      '/v1/sessions',
      '/v1/sessions/id',
      '/v1/sessions',
      '/v1/sessions/id',
    ]);
    expect(browserbase.requests[1]!.body).toEqual({ projectId: 'p-1', status: 'REQUEST_RELEASE' });
    const report = readFileSync(join(folder, 'report.json'), 'utf8') + run.stdout;
    expect(report).not.toContain(key);
    expect(report).not.toContain(signingKey);
    expect(report).not.toContain('My bank account');
    expect(await answersCdp(chrome.url), 'the browser of the person goes on').toBe(true);
    expect(await bank.title()).toBe('My bank account');
    expect(
      person
        .contexts()[0]!
        .pages()
        .filter(page => page.url() !== 'about:blank'),
    ).toEqual([]);
    expect(await answersCdp(`http://127.0.0.1:${port}`), 'what was started is closed').toBe(false);
  } finally {
    await person.close();
    await Promise.all([web.close(), browserbase.close(), server.close(), chrome.close()]);
  }
});
