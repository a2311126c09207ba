import { setTimeout as delay } from 'node:timers/promises';
import { EnvironmentFault } from '../../src/core/environment.ts';
import { expect, launchOptions, test } from './live-fixture.ts';

const events = (observation: { fields: Record<string, unknown> }) => (observation.fields['events'] as string[]).join('\n');

test('E1 dialogs are dismissed and recorded; a listener in the code answers them itself', async ({ live }) => {
  await live.open([
    live.serve(
      '/',
      `<button onclick="document.title=String(confirm('Delete?'))">Delete</button>
       <button onclick="document.title=prompt('Name?','Bob')">Ask</button>
       <script>window.leave = () => { addEventListener('beforeunload', e => e.preventDefault()); }</script>`,
    ),
  ]);
  const dismissed = await live.run("await page.getByText('Delete').click()");
  expect(dismissed.fields['title']).toBe('false');
  expect(events(dismissed)).toContain('dialog: confirm "Delete?" dismissed');
  const accepted = await live.run("page.once('dialog', d => d.accept()); await page.getByText('Delete').click()");
  expect(accepted.fields['title']).toBe('true');
  expect(events(accepted)).toContain('confirm "Delete?" accepted');
  const answered = await live.run(`
    const asked = page.waitForEvent('dialog');
    const click = page.getByText('Ask').click();
    const dialog = await asked;
    const said = [dialog.type(), dialog.message(), dialog.defaultValue()];
    await dialog.accept('Eve');
    await click;
    return said;`);
  expect(answered.fields).toMatchObject({ title: 'Eve', return_value: "[ 'prompt', 'Name?', 'Bob' ]" });
  const again = await live.run("await page.getByText('Delete').click()");
  expect(again.fields['title']).toBe('false');
  await live.run('await page.evaluate(() => leave()); await page.mouse.click(5, 200)');
  const left = await live.run(`await page.goto(${JSON.stringify(live.serve('/next', '<title>Next</title>'))})`);
  expect(left).toMatchObject({ success: true, fields: { title: 'Next' } });
});

test('E2 a storm of dialogs is answered and capped', async ({ live }) => {
  await live.open([live.serve('/', '<title>Storm</title>')]);
  const seen = await live.run('await page.evaluate(() => { for (let i = 0; i < 60; i++) alert(i); })');
  expect(seen.success).toBe(true);
  expect(events(seen)).toContain('more than 20 dialogs');
  expect(seen.fields['events'] as string[]).toHaveLength(11);
});

test('A15 a dialog that a listener holds is dismissed after 2 s, and the late answer is refused', async ({ live }) => {
  await live.open([live.serve('/', '<button onclick="document.title=String(confirm(\'Sure?\'))">Go</button>')]);
  const seen = await live.run(`
    let held;
    page.once('dialog', dialog => { held = dialog; });
    await page.getByText('Go').click();
    await held.accept();`);
  expect(events(seen)).toContain('did not answer within 2 s');
  expect(seen.exception).toContain('already handled');
  expect(seen.fields['title']).toBe('false');
});

test('E3 a new tab is `page`, a chosen tab stays `page`, a closed one is replaced', async ({ live }) => {
  const second = live.serve('/second', '<title>Second</title><p>two</p>');
  await live.open([live.serve('/', `<title>First</title><a href="${second}" target="_blank">Open</a>`)]);
  const opened = await live.run("await Promise.all([context.waitForEvent('page'), page.getByText('Open').click()])");
  expect(opened.fields['tabs']).toEqual([
    { index: 0, url: `${live.origin}/`, title: 'First', current: false },
    { index: 1, url: second, title: 'Second', current: true },
  ]);
  expect(opened.fields['aria']).toContain('two');
  expect(events(opened)).toContain('`page` now');
  expect((await live.run('return await page.title()')).fields['return_value']).toBe('Second');
  expect((await live.run('page = context.pages()[0]')).fields['title']).toBe('First');
  expect((await live.run('return await page.title()')).fields['return_value']).toBe('First');
  expect((await live.run('await context.pages()[1].bringToFront()')).fields['title']).toBe('Second');
  const kept = await live.run(
    'page = context.pages()[0]; const other = await context.newPage(); await other.goto(page.url()); page = context.pages()[0]; await other.close()',
  );
  expect(kept.fields['title']).toBe('First');
  const beside = await live.run(`const other = await context.newPage(); await other.goto('${second}'); page = context.pages()[0]`);
  expect(beside.fields['title']).toBe('First');
  expect((await live.run('await context.pages()[2].close()')).fields['title']).toBe('First');
  const closed = await live.run('page = context.pages()[1]; await page.close()');
  expect(closed.fields).toMatchObject({ title: 'First', tabs: [{ index: 0, current: true }] });
  expect(events(closed)).toContain(`closed: ${second}`);
});

test('E3 a storm of popups is capped, and a tab that closes itself leaves `page` on another', async ({ live }) => {
  const popup = live.serve('/popup', '<title>Popup</title>');
  await live.open([live.serve('/', '<title>First</title>')]);
  const storm = await live.run(
    `await page.evaluate(url => { for (let i = 0; i < 20; i++) open(url); }, ${JSON.stringify(popup)}); await page.waitForTimeout(500)`,
  );
  expect((storm.fields['tabs'] as unknown[]).length).toBeLessThanOrEqual(10);
  expect(events(storm)).toContain('more than 10 tabs');
  const closing = live.serve('/closing', '<title>Closing</title><script>setTimeout(close, 100)</script>');
  const gone = await live.run(`
    for (const tab of context.pages().slice(1)) await tab.close();
    page = context.pages()[0];
    await Promise.all([context.waitForEvent('page').then(tab => tab.waitForEvent('close')), page.evaluate(url => { open(url); }, ${JSON.stringify(closing)})]);`);
  expect(gone).toMatchObject({ success: true, fields: { title: 'First' } });
});

test('E4 downloads are kept, listed and readable; the name is only shown', async ({ live }) => {
  live.serve('/file', (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/csv', 'content-disposition': 'attachment; filename="../../evil.csv"' })
      .end('a,b\n1,2\n'),
  );
  await live.open([live.serve('/', '<a href="/file">Get</a>')]);
  const seen = await live.run("await Promise.all([page.waitForEvent('download'), page.getByText('Get').click()])");
  expect(seen.fields['downloads']).toEqual([{ name: expect.stringContaining('evil.csv'), bytes: 8, preview: 'a,b\n1,2\n' }]);
  const read = await live.run('return (await download.text()).split("\\n")[1]');
  expect(read.fields).toMatchObject({ return_value: '1,2', downloads: [] });
  expect((await live.run("await download.text('none.csv')")).exception).toContain('no finished download named "none.csv"');
  const direct = await live.run(`await page.goto('${live.origin}/file')`);
  expect(direct.exception).toContain('a download');
  const { downloads } = await live.environment().finalState();
  expect(downloads.map(({ path }) => path)).toEqual([1, 2].map(number => `${live.folder()}/evidence/downloads/download-${number}`));
});

test('E5 an open file chooser is reported', async ({ live }) => {
  await live.open([live.serve('/', '<label>Photo <input type="file"></label>')]);
  expect(events(await live.run("await page.getByLabel('Photo').click()"))).toContain('setInputFiles');
  const upload = await live.run(`
    await page.getByLabel('Photo').setInputFiles({ name: 'a.txt', mimeType: 'text/plain', buffer: Buffer.from('hi') });
    return await page.getByLabel('Photo').evaluate(input => input.files[0].name)`);
  expect(upload.fields['return_value']).toBe('a.txt');
});

test('a file of the task is uploaded by its name, and a name that is not there is answered with those that are', async ({ live }) => {
  const inputs = [{ name: 'cv.txt', mimeType: 'text/plain', bytes: Buffer.from('I can sail.') }];
  await live.open([live.serve('/', '<label>CV <input type=file></label>')], { inputs });
  const seen = await live.run(`
    await page.getByLabel('CV').setInputFiles(await input('cv.txt'));
    return await page.getByLabel('CV').evaluate(async field => [field.files[0].name, field.files[0].type, await field.files[0].text()].join())`);
  expect(seen.fields['return_value']).toBe('cv.txt,text/plain,I can sail.');
  expect(live.evidence().items.at(-1)?.fields).toBe('file "CV" = "cv.txt"');
  expect((await live.run("await input('cv.pdf')")).exception).toContain('no file "cv.pdf"; there are: cv.txt');
});

test('E6 a crashed page is opened again once; the second crash ends the attempt', async ({ live }) => {
  await live.open([live.serve('/', '<title>Home</title>')]);
  // The guard lets no code go there; so the page crashes by itself while code waits for it.
  const crash = async () => {
    const running = live.run("await page.waitForEvent('crash', { timeout: 5_000 })");
    const page = live.context.pages().at(-1);
    await Promise.all([page?.waitForEvent('crash'), page?.goto('chrome://crash').catch(() => {})]);
    return running;
  };
  const seen = await crash();
  expect(seen.fields).toMatchObject({ title: 'Home', url: `${live.origin}/` });
  expect(events(seen)).toContain('a new tab was opened at');
  await expect(crash()).rejects.toThrow(EnvironmentFault);
});

test('E6 a page that runs out of memory is opened again once', async ({ live, playwright }) => {
  const small = { ...launchOptions, args: [...(launchOptions.args ?? []), '--js-flags=--max-old-space-size=64'] };
  const browser = await playwright.chromium.launch(small);
  const context = await browser.newContext();
  await live.open([live.serve('/', '<title>Home</title>')], { browser, context, page: await context.newPage() });
  const seen = await live.run('await page.evaluate(() => { const all = []; for (;;) all.push(new Array(1e5).fill(all.length)); })');
  expect(seen.exception).toContain('crashed');
  expect(seen.fields).toMatchObject({ title: 'Home', url: `${live.origin}/` });
  expect(events(seen)).toContain('a new tab was opened at');
  expect((await live.run('return await page.title()')).fields['return_value']).toBe('Home');
  await live.environment().close();
  await browser.close();
});

test('E7 an endless script in the page is ended and the page goes on', async ({ live }) => {
  await live.open([live.serve('/', '<title>Home</title><button onclick="setTimeout(() => { for (;;) {} }, 0)">Hang</button>')], {
    limits: { stepTimeoutMs: 3_000 },
  });
  const evaluated = await live.run('await page.evaluate(() => { document.title = "kept"; for (;;) {} })');
  expect(evaluated.exception).toContain('did not finish within 3 s');
  expect(evaluated.fields['title']).toBe('kept');
  expect(events(evaluated)).toContain('endless script');
  const clicked = await live.run("await page.getByText('Hang').click()");
  expect(clicked.fields['title']).toBe('kept');
  expect(events(clicked)).toContain('endless script');
  expect((await live.run('return 1')).success).toBe(true);
});

test('E9 E10 errors of the page come with what they mean', async ({ live }) => {
  await live.open([live.serve('/', '<title>Home</title>')]);
  const cases: [string, string][] = [
    ['const tab = await context.newPage(); await tab.close(); await tab.title()', 'This tab is closed'],
    [`await page.evaluate(() => { location.href = '/?again'; return new Promise(() => {}); })`, 'navigated while code ran'],
  ];
  for (const [code, meaning] of cases) expect.soft((await live.run(code)).exception, code).toContain(meaning);
});

test('E11 a page that reloads itself without end is observed', async ({ live }) => {
  await live.open([live.serve('/', '<title>Loop</title><script>setTimeout(() => location.reload(), 20)</script>')]);
  const seen = await live.run('return 1');
  expect(seen.success).toBe(true);
});

test('E13 status, empty pages and slow pages are observations', async ({ live }) => {
  live.serve('/500', (_, response) => response.writeHead(500, { 'content-type': 'text/html' }).end('<title>Broken</title>sorry'));
  live.serve('/blank', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(''));
  live.serve('/cut', (_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.write('<title>Half</title><p>first half</p>');
  });
  const first = await live.open([`${live.origin}/cut`], { limits: { stepTimeoutMs: 3_000 } });
  expect(first.fields['aria']).toContain('first half');
  expect(events(first)).toContain('did not finish loading');
  const broken = await live.run(`await page.goto('${live.origin}/500')`);
  expect(broken.fields).toMatchObject({ status: 500, title: 'Broken' });
  const blank = await live.run(`await page.goto('${live.origin}/blank')`);
  expect(blank.fields['aria']).toContain('the page is empty: HTTP status 200');
});

test('E13 a start URL that never answers is the first observation', async ({ live }) => {
  live.serve('/never', () => {});
  const first = await live.open([`${live.origin}/never`], { limits: { stepTimeoutMs: 1_500 } });
  expect(events(first)).toContain('did not finish loading within 1.5 s');
});

test('E4 a download of more than 50 MB is not kept', async ({ live }) => {
  live.serve('/big', (_, response) =>
    response.writeHead(200, { 'content-disposition': 'attachment; filename="big.bin"' }).end(Buffer.alloc(51_000_000)),
  );
  await live.open([live.serve('/', '<a href="/big">Get</a>')]);
  const first = await live.run(
    "const [file] = await Promise.all([page.waitForEvent('download'), page.getByText('Get').click()]); await file.path()",
  );
  const { downloads } = await live.environment().finalState();
  expect(downloads).toEqual([]);
  expect(events(first) + events(await live.run('return 1'))).toContain('big.bin (51 MB) was not kept');
});

test('E12 a start URL that refuses is an error with a remedy', async ({ live }) => {
  await expect(live.open(['http://nowhere.invalid/'])).rejects.toMatchObject({
    code: 'START_URL',
    what: expect.stringContaining('does not resolve'),
  });
});

test('E17 storms of console lines and errors are counted and capped', async ({ live }) => {
  await live.open([live.serve('/', '<title>Noise</title>')]);
  const seen = await live.run(`await page.evaluate(() => {
    for (let i = 0; i < 5000; i++) console.log('line ' + i);
    for (let i = 0; i < 30; i++) console.error('the same');
    console.log('x'.repeat(5_000_000));
    setTimeout(() => { throw new Error('late'); });
  }); await page.waitForTimeout(200)`);
  const lines = seen.fields['events'] as string[];
  expect(lines.length).toBeLessThan(20);
  expect(lines.join('\n').length).toBeLessThan(4_000);
  expect(lines.join('\n')).toContain('earlier ones not shown');
  expect(lines.join('\n')).toContain('page error: late');
});

test('A13 E19 contexts and offline mode last one step; the clock is refused', async ({ live, browser }) => {
  await live.open([live.serve('/', '<title>Home</title>')], { allow: ['offline'] });
  const before = browser.contexts().length;
  const seen = await live.run(
    'const other = await browser.newContext(); const tab = await other.newPage(); await context.setOffline(true)',
  );
  expect(seen.success).toBe(true);
  expect(events(seen)).toContain('contexts last one step');
  expect(events(seen)).toContain('online again');
  expect(browser.contexts().length).toBe(before);
  expect((await live.run('await page.clock.install()')).exception).toContain('clock belongs to the test');
  expect((await live.run('await page.reload()')).success).toBe(true);
});

test('a context of the code has dialogs too', async ({ live }) => {
  const page = live.serve('/', '<title>Own</title>');
  await live.open();
  const seen = await live.run(`
    const tab = await (await browser.newContext()).newPage();
    tab.on('dialog', dialog => dialog.accept());
    await tab.goto(${JSON.stringify(page)});
    return await tab.evaluate(() => confirm('Really?'))`);
  expect(seen.fields['return_value']).toBe('true');
});

test('what belongs to the test cannot be closed from the code', async ({ live }) => {
  await live.open();
  for (const code of [
    'await page.close()',
    'await context.close()',
    'await browser.close()',
    'await playwright.chromium.launch()',
    'await context.newCDPSession(page)',
  ]) {
    expect.soft((await live.run(code)).exception, code).toContain('is not available here');
  }
});

test('a step that is killed during goto leaves a page that works', async ({ live }) => {
  live.serve('/never', () => {});
  await live.open([live.serve('/', '<title>Home</title>')], { limits: { stepTimeoutMs: 3_000 } });
  const seen = await live.run(`await page.goto('${live.origin}/never', { timeout: 0 })`);
  expect(seen.exception).toContain('did not finish within 3 s');
  expect(seen.fields).toMatchObject({ title: 'Home', url: `${live.origin}/` });
  expect((await live.run('await page.reload(); return await page.title()')).fields['return_value']).toBe('Home');
});

test('what the page does after a step is not missed: pending requests are waited for', async ({ live }) => {
  live.serve('/late', async (_, response) => {
    await delay(300);
    response.end('late news');
  });
  await live.open([
    live.serve('/', '<button onclick="fetch(\'/late\').then(r => r.text()).then(t => { out.textContent = t })">Go</button><p id=out></p>'),
  ]);
  expect((await live.run("await page.getByText('Go').click()")).fields['aria']).toContain('late news');
});

test('a tab that opens a moment after the click is `page` all the same', async ({ live }) => {
  const slow = live.serve('/slow', async (_, response) => {
    await delay(200);
    response.end('<title>Slow</title>');
  });
  await live.open([live.serve('/', `<title>Home</title><button onclick="window.open('${slow}')">Open</button>`)]);
  for (let round = 0; round < 3; round += 1) {
    const seen = await live.run("await page.getByText('Open').click()");
    expect(seen.fields['title']).toBe('Slow');
    await live.run('await page.close(); page = context.pages()[0]');
  }
});

test('a page that has emptied its own document is told as empty', async ({ live }) => {
  await live.open([live.serve('/', '<title>Home</title><p>here</p>')]);
  const seen = await live.run('await page.evaluate(() => document.documentElement.remove())');
  expect(seen.fields['aria']).toContain('the page is empty');
});

test('answers that follow from one another are waited for', async ({ live }) => {
  live.serve('/one', (_, response) => void response.end('/two'));
  live.serve('/two', async (_, response) => {
    await delay(200);
    response.end('the end');
  });
  await live.open([
    live.serve(
      '/',
      `<button onclick="fetch('/one').then(r => r.text()).then(url => setTimeout(() => fetch(url).then(r => r.text()).then(t => { out.textContent = t }), 30))">Go</button><p id=out>Loading…</p>`,
    ),
  ]);
  expect((await live.run("await page.getByText('Go').click()")).fields['aria']).toContain('the end');
});

test('E16 a service worker that answers is reported once', async ({ live }) => {
  live.serve('/sw.js', (_, response) =>
    response
      .writeHead(200, { 'content-type': 'text/javascript' })
      .end(
        "addEventListener('fetch', e => e.respondWith(new Response('<title>Cached</title>', { headers: { 'content-type': 'text/html' } })));",
      ),
  );
  await live.open([live.serve('/', "<title>Fresh</title><script>navigator.serviceWorker.register('/sw.js')</script>")]);
  const seen = await live.run('await page.evaluate(() => navigator.serviceWorker.ready.then(() => 1)); await page.reload()');
  expect(seen.fields['title']).toBe('Cached');
  expect(events(seen)).toContain('A service worker answers for http://127.0.0.1');
  expect(events(await live.run('await page.reload()'))).not.toContain('service worker');
});

test.describe('a browser that lets no service worker answer', () => {
  test.use({ serviceWorkers: 'block' });
  test('E16 serviceWorkers: block in the Playwright config shows the site itself', async ({ live }) => {
    live.serve('/sw.js', (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/javascript' })
        .end('addEventListener("fetch", e => e.respondWith(new Response("Cached")))'),
    );
    await live.open([live.serve('/', "<title>Fresh</title><script>navigator.serviceWorker?.register('/sw.js').catch(() => {})</script>")]);
    const seen = await live.run('await page.reload()');
    expect(seen.fields['title']).toBe('Fresh');
    expect(events(seen)).not.toContain('service worker answers');
  });
});

test('E18 a page that takes very much memory is reported', async ({ live }) => {
  await live.open([live.serve('/', '<title>Big</title>')]);
  const seen = await live.run('await page.evaluate(() => { globalThis.kept = Array.from({ length: 11 }, () => new ArrayBuffer(1e8)); })');
  expect(events(seen)).toMatch(/uses 1\.1 GB of memory/);
});

test.describe('a browser with settings of its own', () => {
  test.use({ timezoneId: 'Asia/Tokyo', locale: 'de-DE' });
  test('E19 time zone and language are told at the start', async ({ live }) => {
    const first = await live.open([live.serve('/', '<title>Tokyo</title>')]);
    expect(events(first)).toContain('The time zone of the browser is Asia/Tokyo.');
    expect(events(first)).toContain('The language of the browser is de-DE.');
    expect((await live.run('return 1')).fields['events']).toEqual([]);
  });
});

test('evidence holds what stands in the fields, which the text of a page has not, and no password', async ({ live }) => {
  live.serve('/inner', '<label>Inner <input value="in the frame"></label>');
  await live.open([
    live.serve(
      '/',
      `<title>Form</title><label>Email <input></label><label>Empty <input></label><label>Password <input type=password></label>
      <label>Sort <select><option>Name<option>Price</select></label><label>Notes <textarea></textarea></label>
      <label><input type=checkbox> News</label><label><input type=radio name=r> Yes</label><label><input type=radio name=r checked> No</label>
      <div role=switch aria-checked=true tabindex=0>Dark</div><div style="display:none"><input value=unseen></div><x-field></x-field>
      <iframe src="/inner"></iframe>
      <script>
        customElements.define('x-field', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<input aria-label=Shadow value=shade>'; } });
        Object.defineProperty(HTMLInputElement.prototype, 'value', { get: () => 'forged' });
        Object.defineProperty(HTMLElement.prototype, 'innerText', { get: () => 'forged' });
      </script>`,
    ),
  ]);
  await live.run(`
    await page.getByLabel('Email').fill('ada@example.org');
    await page.getByLabel('Password').fill('hunter2-secret');
    await page.getByLabel('Sort').selectOption('Price');
    await page.getByLabel('Notes').fill('two\\nlines');
    await page.getByLabel('News').check();
    await page.getByLabel('Yes').check();`);
  expect(live.evidence().items.at(-1)?.fields?.split('\n')).toEqual([
    'textbox "Email" = "ada@example.org"',
    'textbox "Empty" = ""',
    'textbox "Password" = "(hidden)"',
    'combobox "Sort" = "Price"',
    'textbox "Notes" = "two lines"',
    'checkbox "News" is checked',
    'radio "Yes" is checked',
    'radio "No" is not checked',
    'switch "Dark" is checked',
    'textbox "Shadow" = "shade"',
    'textbox "Inner" = "in the frame"',
  ]);
  const { pages } = await live.environment().finalState();
  expect(pages[0]?.text).toContain('Email');
  expect(await pages[0]?.texts('label')).not.toContain('forged');
});
