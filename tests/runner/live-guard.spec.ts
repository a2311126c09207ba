import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, join, test } from './live-fixture.ts';

/** The list of reliability.md §2.1, tried from the code of a real attempt: by Playwright's functions, and below them by its protocol. */
const home = '<title>Home</title><h1>Shop</h1><input type=file aria-label=Photo>';

test('B1 no spelling of an address leaves the web, and no page takes the code there either', async ({ live }, testInfo) => {
  const secret = testInfo.outputPath('secret.html');
  mkdirSync(testInfo.outputDir, { recursive: true });
  writeFileSync(secret, '<title>canary</title>canary');
  const file = `file://${secret}`;
  live.serve('/redirect', (_, response) => response.writeHead(302, { location: file }).end());
  live.serve('/frame', `<iframe src="${file}"></iframe><title>Framed</title>`);
  live.serve('/link', `<title>Link</title><a href="${file}">file</a><a href="data:text/html,canary">data</a>`);
  await live.open([live.serve('/', home)]);
  const spellings = [
    file,
    file.replace('file', 'FILE'),
    ` ${file}`,
    file.replace('file', 'fi\tle'),
    file.replace('file', 'fi\nle'),
    file.replace('//', '\\\\'),
    file.replace('file://', 'file:'),
    `view-source:${file}`,
    `view-source:${live.origin}/`,
    'javascript:document.write("canary")',
    'data:text/html,canary',
    'chrome://version',
    'devtools://devtools/bundled/inspector.html',
    'about:srcdoc',
  ];
  const seen = await live.run(`
    const told = [];
    for (const url of ${JSON.stringify(spellings)}) told.push(await page.goto(url).then(() => 'OPENED ' + url, error => error.message));
    const frame = page.mainFrame()._channel;
    for (const url of ${JSON.stringify(spellings)}) told.push(await frame.goto({ url, waitUntil: 'load' }, { timeout: 5_000 }).then(() => 'OPENED ' + url, error => error.message));
    return told.filter(each => !/Only pages of the web|not an address/.test(each)).join('\\n')`);
  expect(seen.exception).toBe('');
  expect(seen.fields['return_value']).toBe('');

  const tricks = await live.run(`
    const open = page.waitForEvent('popup', { timeout: 1_000 }).catch(() => null);
    // The error page of what was refused may come late, and cut the next navigation off.
    const go = (url, tries = 5) => page.goto(url).catch(error => (tries > 1 ? go(url, tries - 1) : Promise.reject(error)));
    await page.goto('${live.origin}/redirect').catch(() => {});
    await go('about:blank');
    await page.evaluate(url => { location = url; }, ${JSON.stringify(file)}).catch(() => {});
    await page.evaluate(url => { window.open(url); }, ${JSON.stringify(file)}).catch(() => {});
    await go('${live.origin}/link');
    await page.getByText('file').click({ timeout: 2_000 }).catch(() => {});
    await page.getByText('data').click({ timeout: 2_000 }).catch(() => {});
    await go('${live.origin}/frame');
    const other = await browser.newContext({ baseURL: 'file:///' });
    const tab = await other.newPage();
    const based = await tab.goto(${JSON.stringify(secret.slice(1))}).then(() => 'OPENED', error => error.message);
    await open;
    const frames = browser.contexts().flatMap(each => each.pages()).flatMap(each => each.frames());
    return based + '\\n' + (await Promise.all(frames.map(each => Promise.race([each.content().catch(() => ''), new Promise(done => setTimeout(done, 1_000, 'no content'))])))).join('\\n').replace(/"[^"]*secret.html"/g, '')`);
  expect(tricks.exception).toBe('');
  expect(String(tricks.fields['return_value'])).toMatch(/^page\.goto: .*Only pages of the web/);
  expect(String(tricks.fields['return_value'])).not.toMatch(/canary|OPENED/);
});

test('B2 B3 B5 files, sessions, other browsers and the network of the harness stay out of reach, also below the functions', async ({
  live,
}, testInfo) => {
  let hits = 0;
  live.serve('/hit', (_, response) => {
    hits += 1;
    response.end('hit');
  });
  const url = live.serve('/', (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'session=canary; HttpOnly' }).end(home),
  );
  await live.open([url]);
  const target = join(testInfo.outputDir, 'written');
  const calls = [
    `context.request.get('${live.origin}/hit')`,
    `page.request.post('${live.origin}/hit')`,
    `page.getByLabel('Photo').setInputFiles(process.argv[1])`,
    'page.mainFrame()._channel.setInputFiles({ selector: "input", strict: true, localPaths: ["/etc/passwd"] }, { timeout: 0 })',
    'page.mainFrame()._channel.drop({ selector: "input", localPaths: ["/etc/passwd"] }, { timeout: 0 })',
    'page.mainFrame()._channel.setInputFiles({ selector: "input", localDirectory: "/etc" }, { timeout: 0 })',
    'context.newCDPSession(page)',
    'browser.newBrowserCDPSession()',
    'browser.bind("mine")',
    'browser.unbind()',
    'browser.startTracing()',
    'context.storageState()',
    'context.cookies()',
    'context.addCookies([{ name: "a", value: "b", url: page.url() }])',
    'page.reload().then(response => response.allHeaders())',
    'page.reload().then(response => response.request().allHeaders())',
    'context.tracing.start()',
    'page.route("**/*", route => route.fulfill({ body: "fake" }))',
    'page.addInitScript("1")',
    'page.exposeFunction("f", () => 1)',
    'page.setContent("<h1>Order placed</h1>")',
    'page.clock.install()',
    'context.setOffline(true)',
    'playwright.selectors.register("mine", () => ({ query: () => null, queryAll: () => [] }))',
    'page.screencast.start()',
    'browser.newContext({ recordVideo: { dir: "/tmp" } })',
    'browser.newContext({ proxy: { server: "http://127.0.0.1:1" } })',
    'browser.newContext({ storageState: { cookies: [], origins: [] } })',
    'context._channel.createTempFiles({ items: [{ name: "a" }] }, { timeout: 0 })',
    'page._channel.startJSCoverage({}, { timeout: 0 })',
    'raw("utils", "zip", { zipFile: "/tmp/x.zip", entries: [], mode: "write" })',
    'raw("utils", "harOpen", { file: "/etc/passwd" })',
    'raw("chromium", "launch", {})',
    'raw("chromium", "connectOverCDP", { endpointURL: "http://127.0.0.1:1" })',
  ];
  const results = await live.run(`
    const connection = page._connection;
    const playwrightObject = [...connection._objects.values()].find(each => each._type === 'Playwright');
    const raw = (name, method, params) => new Promise((resolve, reject) => {
      const guid = playwrightObject._initializer[name]._object._guid;
      connection._callbacks.set('raw@1', { resolve, reject, type: 'Frame', method: 'title' });
      connection.onmessage({ id: 'raw@1', guid, method, params, metadata: {} });
    });
    const told = [];
    for (const call of ${JSON.stringify(calls)}) told.push(call.slice(0, 40) + ': ' + await eval(call).then(value => 'DONE ' + String(value).slice(0, 100), error => error.message.split('\\n')[0].slice(0, 70)));
    console.log(told.join('\\n'))`);
  const lines = String(results.fields['output']).trim().split('\n');
  expect(results.exception).toBe('');
  expect(lines.filter(line => !line.includes('is not available here'))).toEqual([]);
  expect(lines).toHaveLength(calls.length);
  expect(hits).toBe(0);

  live.serve('/file', (_, response) => response.writeHead(200, { 'content-disposition': 'attachment; filename=a.txt' }).end('content'));
  const download = await live.run(`
    const waiting = page.waitForEvent('download');
    await page.evaluate(() => { location = '/file'; });
    const file = await waiting;
    const artifact = file._artifact;
    const told = [await file.saveAs('${target}').catch(error => error.message), await file.createReadStream().catch(error => error.message)];
    told.push(await artifact._channel.saveAs({ path: '${target}' }, { timeout: 0 }).catch(error => error.message));
    told.push(await file.delete().catch(error => error.message), artifact._initializer.absolutePath);
    return told.join('\\n') + '\\n' + await download.text('a.txt')`);
  expect(String(download.fields['return_value']).split('\n')).toEqual([
    ...Array.from({ length: 4 }, () => expect.stringContaining("Read one with await download.text('name')")),
    '',
    'content',
  ]);
  const { refusals } = live.environment().serialize() as { refusals: { call: string; group: string | null; count: number }[] };
  expect(refusals).toContainEqual(expect.objectContaining({ call: 'Frame.setContent', group: 'content', count: 1 }));
  expect(refusals).toContainEqual(expect.objectContaining({ call: 'LocalUtils.zip', group: null, count: 1 }));
});

test('B4 B9 A15 the session of the test: not closed, not left, its dialogs not answered, other sessions never seen', async ({
  live,
  browser,
}) => {
  const judge = await browser.newContext();
  const judgePage = await judge.newPage();
  await judgePage.goto(live.serve('/rubric', '<title>Rubric</title>'));
  await live.open([live.serve('/', home)]);
  await judgePage.reload();
  const guidOf = (object: object) => (object as { _guid: string })._guid;
  const seen = await live.run(`
    const told = [];
    const objects = () => [...page._connection._objects.values()];
    const own = page._channel;
    for (const attempt of [() => own.close({}, { timeout: 0 }), () => own.runBeforeUnload({}, { timeout: 0 }), () => context._channel.close({}, { timeout: 0 }), () => browser._channel.close({}, { timeout: 0 })])
      told.push(await attempt().then(() => 'CLOSED', error => error.message));
    const popup = await context.newPage();
    await popup.close();
    const other = await browser.newContext();
    await other.newPage();
    const count = browser.contexts().length;
    await other.close();
    const before = objects().filter(each => each._type === 'BrowserContext' || each._type === 'Page').length;
    return JSON.stringify({ told, closed: popup.isClosed(), count, before, urls: objects().map(each => each._guid + ' ' + (each.url?.call ? each.url() : '')) })`);
  const { told, closed, count, before, urls } = JSON.parse(String(seen.fields['return_value'])) as {
    told: string[];
    closed: boolean;
    count: number;
    before: number;
    urls: string[];
  };
  expect(told.filter(each => !each.includes('is not available here'))).toEqual([]);
  expect({ closed, count, before }).toEqual({ closed: true, count: 2, before: 2 });
  expect(urls.join('\n')).not.toContain('/rubric');
  for (const hidden of [guidOf(judge), guidOf(judgePage), guidOf(judgePage.mainFrame())]) expect(urls.join('\n')).not.toContain(hidden);

  const dialog = await live.run(`
    const told = [];
    for (const owner of [page, context]) told.push(await owner._channel.updateSubscription({ event: 'dialog', enabled: true }, { timeout: 0 }).catch(error => error.message));
    page.once('dialog', async dialog => { await dialog.accept(); told.push(await dialog.dismiss().catch(error => error.message)); });
    told.push(String(await page.evaluate(() => confirm('Sure?'))));
    return told.join('\\n')`);
  expect(String(dialog.fields['return_value'])).toMatch(/harness answers dialogs[\s\S]*harness answers dialogs/);
  expect(String(dialog.fields['return_value'])).toContain('already handled');
  expect(String(dialog.fields['return_value'])).toContain('true');
  await judge.close();
});

test('B7 code that breaks the connection gets a new process, and the page is still there', async ({ live }) => {
  await live.open([live.serve('/', home)]);
  const broken = await live.run(`
    const id = 'same@1';
    for (let i = 0; i < 2; i++) page._connection.onmessage({ id, guid: page.mainFrame()._guid, method: 'waitForTimeout', params: { waitTimeout: 5_000 }, metadata: {} });
    await new Promise(() => {})`);
  expect(broken.exception).toContain('ended by itself');
  expect((broken.fields['events'] as string[]).join()).toContain('the same number for two calls');
  expect((await live.run('return await page.title()')).fields['return_value']).toBe('Home');
});

test('what the author has opened works in the code', async ({ live }) => {
  await live.open([live.serve('/', home)], { allow: ['route', 'content', 'cookies', 'clock', 'bindings', 'init_script'] });
  const seen = await live.run(`
    await context.addCookies([{ name: 'a', value: 'b', url: page.url() }]);
    await page.route('**/data', route => route.fulfill({ body: 'from the code' }));
    await page.exposeFunction('double', value => value * 2);
    await page.clock.setFixedTime(new Date('2026-01-02'));
    const told = [(await context.cookies())[0].name, await page.evaluate(async () => (await fetch('/data')).text()), await page.evaluate(() => double(4)), await page.evaluate(() => new Date().getUTCFullYear())];
    await page.setContent('<title>Mine</title>');
    return [...told, await page.title()].join()`);
  expect(seen.fields['return_value']).toBe('a,from the code,8,2026,Mine');
  expect(live.environment().serialize()['allow']).toEqual(['route', 'content', 'cookies', 'clock', 'bindings', 'init_script']);
});
