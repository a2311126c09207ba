import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { findLeaks, findLeaksInText } from '../../fixtures/testing/find-leaks.ts';
import { findChromium } from '../../src/config/browser.ts';
import { answersCdp } from '../../src/environments/browser/start-chrome.ts';
import { freePort, startBrowserbase, startPersonsChrome, startWeb } from './mode-servers.ts';
import { makeProject, type ProjectRun, runProject } from './project.ts';

const key = 'bb_live_key_of_the_test';
const signingKey = 'signing-key-of-the-test';

/** In reports, traces and run folders, and in what was printed. */
const leaksIn = ({ folder, stdout }: ProjectRun) =>
  [key, signingKey].flatMap(secret => [
    ...findLeaks({ secret, paths: [folder] }),
    ...findLeaksInText({ secret, text: stdout, where: 'output' }),
  ]);

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
    { playwright_code: "await page.goto('/agent'); return 'tabs: ' + (await Promise.all(context.pages().map(page => page.title())))" },
    request => ({ done: true, final_response: /tabs: [\\w/, ]*/.exec(JSON.stringify(request.messages.at(-1).content))[0] }),
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
    seen: run.finalResponse,
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
`;
/** Where the browser outlives a test. */
const next = `
import { test, expect } from 'playwright-webwright';
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
  const project = (name: string, use: object, metadata: object = {}) => ({
    name,
    use,
    metadata,
    testIgnore: ['runner', 'connect', 'local_launch'].includes(name) ? 'next.spec.ts' : 'none',
  });
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
    'next.spec.ts': next,
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
        seen: 'tabs: /agent',
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
    expect(leaksIn(run)).toEqual([]);
    // Playwright's trace of an attached browser has snapshots of all its tabs (docs/browsers.md says so).
    const seen = findLeaks({ secret: 'My bank account', paths: [folder] }).filter(({ where }) => !where.includes('trace.zip!'));
    expect(seen, 'other tabs of the person').toEqual([]);
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

test('browser modes: what cannot be is refused in words, and a session in the cloud is released however the test ends', async () => {
  const chrome = await startPersonsChrome();
  const [browserbase, unreachable, port] = await Promise.all([
    startBrowserbase({ chrome: chrome.url, key, signingKey }),
    startBrowserbase({ chrome: null, key, signingKey }),
    freePort(),
  ]);
  const cases: [string, object, string[]][] = [
    ['typo', { browserMode: 'Local-CDP' }, ['Unknown browser mode', 'did you mean local_cdp?']],
    [
      'proxy of a running browser',
      { browserMode: 'local_cdp', cdp: { url: chrome.url }, proxy: { server: 'http://127.0.0.1:1' } },
      ['the browser runs already, and proxy is settled when it starts', 'local_persistent'],
    ],
    [
      'nothing there',
      { browserMode: 'local_cdp', cdp: { url: `http://127.0.0.1:${port}`, autoStart: false } },
      ['cdp.autoStart is false', `--remote-debugging-port=${port}`],
    ],
    ['elsewhere', { browserMode: 'local_cdp', cdp: { url: 'http://chrome.invalid:9222' } }, ['on another machine']],
    [
      'no browser',
      { browserMode: 'local_cdp', cdp: { url: `http://127.0.0.1:${port}`, executablePath: '/bin/false' } },
      ['The browser could not be started', 'exit code 1', 'cdp.executablePath'],
    ],
    ['cloud', { browserMode: 'browserbase', browserbase: { apiUrl: browserbase.url } }, ['not what was expected']],
    [
      'cloud without a way in',
      { browserMode: 'browserbase', browserbase: { apiUrl: unreachable.url } },
      ['The Browserbase session cannot be reached', 'ECONNREFUSED', 'it has been released'],
    ],
  ];
  try {
    const run = await runProject({
      files: {
        'refused.spec.ts': `import { test } from 'playwright-webwright';
test('fails', async ({ page }) => { await page.goto('about:blank'); throw new Error('not what was expected'); });`,
        'playwright.config.ts': `export default { workers: 2, outputDir: './test-results', reporter: [['json', { outputFile: 'report.json' }]],
          projects: ${JSON.stringify(cases.map(([name, use]) => ({ name, use })))} };`,
      },
      env: { BROWSERBASE_API_KEY: key },
    });
    for (const [name, , words] of cases) {
      const errors = run.tests.filter(each => each.project === name).flatMap(each => each.errors);
      for (const word of words) expect.soft(errors.join('\n'), name).toContain(word);
    }
    for (const { requests } of [browserbase, unreachable]) {
      expect.soft(requests.map(({ body }) => body['status'])).toEqual([undefined, 'REQUEST_RELEASE']);
      expect.soft(requests[0]!.body).toEqual({ timeout: 3_600, keepAlive: false });
    }
    expect(leaksIn(run)).toEqual([]);
  } finally {
    await Promise.all([chrome.close(), browserbase.close(), unreachable.close()]);
  }
});

test('the workspace: scripts have their browser where environment.browser_mode says', async () => {
  const [web, chrome] = await Promise.all([startWeb(), startPersonsChrome()]);
  const browserbase = await startBrowserbase({ chrome: chrome.url, key, signingKey });
  const script = (mode: string) => `test.describe(() => {
  test.use({ agentConfig: ['environment.browser_mode=${mode}', 'environment.egress_allow=["127.0.0.1:*"]'], agentModel: scripted({
    ...scriptedJudge({ points: ['it is open'] }),
    agent: [{ bash_command: command }, request => ({ done: true, final_response: 'Blocked: ' + JSON.stringify(request.messages.at(-1).content) })],
  }) });
  test('scripts in ${mode}', async ({ agent }) => {
    const run = await agent.run('Open the page.', { assert: false });
    expect(run.finalResponse).toContain('mode ${mode} at /shop with nothing');
    writeFileSync('${mode}.txt', run.folder);
  });
});`;
  try {
    const run = await runProject({
      files: {
        'workspace.spec.ts': `import { expect, workspaceTest as test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
import { writeFileSync } from 'node:fs';
const command = \`cat > look.mjs <<'JS'
import { open } from 'playwright-webwright/script';
const { page } = await open('${web.origin}/shop');
console.log('mode', process.env.BROWSER_MODE, 'at', await page.title(), 'with', process.env.BROWSERBASE_API_KEY ?? 'nothing');
JS
node look.mjs\`;
${['local', 'launch', 'browserbase'].map(script).join('\n')}
test.describe(() => {
  test.use({ agentConfig: ['environment.wait_for_person=enter'], agentModel: scripted({ ...scriptedJudge({}), agent: [] }) });
  test('no person', async ({ agent }) => { await agent.run('Open the page.'); });
});`,
        'attached.spec.ts': `import { workspaceTest as test } from 'playwright-webwright';
test.use({ browserMode: 'local_cdp' });
test('another mode', async ({ agent }) => { await agent.run('Open the page.'); });`,
        'playwright.config.ts': `export default { workers: 1, outputDir: './test-results', reporter: [['json', { outputFile: 'report.json' }]],
          use: { browserbase: { apiUrl: '${browserbase.url}' } } };`,
      },
      env: { BROWSERBASE_API_KEY: key },
    });
    for (const mode of ['local', 'launch', 'browserbase'])
      expect.soft(run.tests.find(each => each.title === `scripts in ${mode}`)?.errors, run.stdout).toEqual([]);
    expect.soft(run.tests.find(each => each.title === 'no person')?.errors.join()).toContain('has no page that a person could use');
    expect.soft(run.tests.find(each => each.title === 'another mode')?.errors.join()).toContain('environment.browser_mode=browserbase');
    expect(browserbase.requests.map(({ body }) => body['status'])).toEqual([undefined, 'REQUEST_RELEASE']);
    expect(leaksIn(run)).toEqual([]);
  } finally {
    await Promise.all([web.close(), chrome.close(), browserbase.close()]);
  }
});
