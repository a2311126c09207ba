import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { EnvironmentFault } from '../../src/core/environment.ts';
import { expect, launchOptions, test } from './live-fixture.ts';
import { processesOf } from './processes.ts';
import { unzip } from './unzip.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
test('A6 a signal handler does not keep a loop alive', async ({ live }) => {
  await live.open([], { limits: { stepTimeoutMs: 2_000 } });
  expect((await live.run("process.on('SIGTERM', () => {}); process.on('SIGINT', () => {}); for (;;) {}")).exception).toContain(
    'did not finish',
  );
});

test('A7 forged messages on fd 3 are observations at most', async ({ live }) => {
  await live.open();
  const forged = [
    { type: 'done', id: 'guess', value: 'forged' },
    { ok: true, verdict: 1, predicted_label: 1 },
    { type: 'verdict', predicted_label: 1 },
  ];
  const seen = await live.run(`
    const { writeSync } = await import('node:fs');
    for (const message of ${JSON.stringify(forged)}) writeSync(3, JSON.stringify(message) + '\\n');
    writeSync(3, 'not json\\n');
    return 'honest';`);
  expect(seen.fields).toMatchObject({ return_value: 'honest', exception: '' });
  const flood = await live.run(
    "const { writeSync } = await import('node:fs'); for (;;) { try { writeSync(3, 'x'.repeat(1e4)) } catch { await new Promise(done => setTimeout(done, 1)) } } await new Promise(() => {})",
  );
  expect(flood.exception).toContain('more than the harness reads');
  expect((await live.run('return 1')).success).toBe(true);
});

test('A9 endless output is cut, and the step ends', async ({ live }) => {
  await live.open([], { limits: { outputChars: 2_000 } });
  const long = await live.run("console.log('begin'); for (let i = 0; i < 2e4; i++) console.log('x'.repeat(100)); console.log('end')");
  expect(long.success).toBe(true);
  expect(long.fields['output']).toMatch(/^begin\n[\s\S]*… \d+ bytes cut …[\s\S]*end\n$/);
  expect(String(long.fields['output']).length).toBeLessThan(2_100);
  expect((await live.run("for (;;) console.log('x'.repeat(1e6))")).exception).toContain('printed more than 64 MB');
});

test('code that closes its own output still gives results, each to its own step', async ({ live }) => {
  await live.open();
  expect((await live.run("(await import('node:fs')).closeSync(1); return 'one'")).fields['return_value']).toBe('one');
  expect((await live.run("await new Promise(done => setTimeout(done, 1_500)); return 'two'")).fields['return_value']).toBe('two');
});

test('A8 huge and odd results arrive bounded', async ({ live }) => {
  await live.open();
  const seen = await live.run("return await page.evaluate(() => 'x'.repeat(5e7))");
  expect(String(seen.fields['return_value']).length).toBeLessThanOrEqual(4_000);
  expect((await live.run("return page.getByRole('button')")).fields['return_value']).toContain("getByRole('button')");
  expect((await live.run("const a = { n: 1n }; a.self = a; return [a, await page.$('body')]")).fields['return_value']).toContain(
    '[Circular',
  );
  expect((await live.run('await page.evaluate(() => { throw { odd: true } })')).success).toBe(false);
});

test('A12 a test that times out in a step tears down, and the next one passes', async () => {
  const run = promisify(execFile)(
    process.execPath,
    ['node_modules/@playwright/test/cli.js', 'test', '-c', 'tests/runner/live-cases', 'timeout', '--output', test.info().outputPath('out')],
    { cwd: root, maxBuffer: 1e8 },
  );
  const { stdout } = (await run.catch(error => error)) as { stdout: string };
  const report = JSON.parse(stdout) as { stats: { expected: number; unexpected: number } };
  expect(report.stats).toMatchObject({ expected: 1, unexpected: 1 });
  const tree = /tree ([\w-]{36})/.exec(stdout)?.[1];
  expect(tree).toBeDefined();
  expect(processesOf(String(tree))).toEqual([]);
});

test('A14 routes and scripts of a killed child are gone', async ({ live }) => {
  await live.open([live.serve('/', '<title>Real</title>')], { limits: { stepTimeoutMs: 3_000 }, allow: ['route', 'init_script'] });
  await live.run(
    "await page.route('**/*', route => route.fulfill({ body: '<title>Fake</title>', contentType: 'text/html' })); await page.addInitScript(() => { globalThis.injected = 1 }); for (;;) {}",
  );
  const after = await live.run('await page.reload(); return [await page.title(), await page.evaluate(() => globalThis.injected)]');
  expect(after.fields['return_value']).toBe("[ 'Real', undefined ]");
});

test('A16 a browser that is bound already is shared, and stays bound', async ({ live, browser }) => {
  await browser.bind('somebody else');
  await live.open([live.serve('/', '<title>Shared</title>')]);
  expect((await live.run('return await page.title()')).fields['return_value']).toBe('Shared');
  await live.environment().close();
  await expect(browser.bind('again')).rejects.toThrow('already started');
  await browser.unbind();
});

test('A17 no descriptor of the bound browser is left on disk, and no secret reaches the child', async ({ live }) => {
  const registry = `${process.env['XDG_CACHE_HOME'] ?? `${homedir()}/.cache`}/ms-playwright/b`;
  const before = existsSync(registry) ? readdirSync(registry) : [];
  process.env['OPENAI_API_KEY'] = 'sk-canary-0123456789';
  await live.open();
  delete process.env['OPENAI_API_KEY'];
  const left = (existsSync(registry) ? readdirSync(registry) : []).filter(name => !before.includes(name));
  expect(left.map(name => readFileSync(`${registry}/${name}`, 'utf8')).filter(text => text.includes('webwright'))).toEqual([]);
  const names = String((await live.run('return Object.keys(process.env).sort().join()')).fields['return_value']).split(',');
  expect(names.filter(name => name !== 'PWD')).toEqual(['HOME', 'LANG', 'NODE_NO_WARNINGS', 'PATH', 'TMPDIR', 'WEBWRIGHT_PROCESS_TREE']);
});

test('E8 a browser that dies ends the attempt at once, and evidence stays', async ({ live, playwright }) => {
  const browser = await playwright.chromium.launch(launchOptions);
  const context = await browser.newContext();
  await live.open([live.serve('/', '<title>Home</title>')], { browser, context, page: await context.newPage() });
  await live.run('return 1');
  const session = await browser.newBrowserCDPSession();
  await session.send('Browser.close').catch(() => {});
  await expect(live.run('return await page.title()')).rejects.toThrow(EnvironmentFault);
  expect(live.evidence().items.length).toBeGreaterThan(0);
});

test('an attempt that is aborted ends its step at once', async ({ live }) => {
  await live.open();
  const stop = new AbortController();
  const running = live.run('await new Promise(() => {})', stop.signal);
  stop.abort();
  expect((await running).exception).toBe('The attempt is being ended.');
});

test('the calls of the code stand under the group of their step in the trace', async () => {
  const out = test.info().outputPath('out');
  await promisify(execFile)(
    process.execPath,
    ['node_modules/@playwright/test/cli.js', 'test', '-c', 'tests/runner/live-cases', 'trace', '--output', out],
    { cwd: root, maxBuffer: 1e8 },
  );
  const [folder] = readdirSync(out).filter(name => name.startsWith('trace'));
  const calls = [...unzip(readFileSync(`${out}/${folder}/trace.zip`))]
    .filter(([name]) => name.endsWith('.trace'))
    .flatMap(([, bytes]) =>
      bytes
        .toString()
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as { type: string; callId: string; parentId?: string; title?: string; method?: string }),
    )
    .filter(({ type }) => type === 'before');
  const group = calls.find(({ title }) => title === 'step 1');
  expect(group).toBeDefined();
  expect(calls.filter(({ parentId }) => parentId === group?.callId).map(({ method }) => method)).toContain('click');
});
