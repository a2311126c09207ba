import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { findChromium } from '../../src/config/browser.ts';
import { processBox } from '../../src/sandbox/box/process-box.ts';
import { expect, test } from './workspace-fixture.ts';

const heredoc = (script: string) => `node --input-type=module - <<'JS'\n${script}\nJS`;

const finalScript = (site: string) => `
import { answer, open, shot, step } from 'playwright-webwright/script';
const { page } = await open('${site}/');
step('sort by price, low to high');
await page.getByLabel('Sort by').selectOption('price');
await shot('sorted by price');
const cheapest = await page.getByRole('listitem').first().innerText();
step('read the first of the list');
await shot('result');
answer('The cheapest is ' + cheapest);
`;

for (const [rung, box] of [
  ['the best rung', {}],
  ['the process rung', { box: processBox() }],
] as const)
  test(`a final script goes all the way on ${rung}: run folder, log, screenshots, evidence`, async ({ makeWorkspace, site }) => {
    const { run, environment, evidence, folder } = await makeWorkspace({ startUrls: [`${site}/`], ...box });
    const written = await run(`cat > final_script.mjs <<'JS'\n${finalScript(site)}JS`);
    expect(written.files_changed).toEqual(['final_script.mjs']);
    expect(written.final_script_preview).toContain("step('sort by price, low to high')");

    const ran = await run('node final_script.mjs');
    expect(ran.output).toContain('Final Response: The cheapest is Kestrel £24.90');
    expect(ran).toMatchObject({ status: 'ok', returncode: 0, exception: '', notice: '', final_script_preview: '' });
    expect(ran.final_run).toContain('final_runs/run_1 is complete');

    const found = await environment.finalRun();
    if (!found.ok) throw new Error(found.refusal);
    expect(found).toMatchObject({ run: 1, step: 2, exitCode: 0, finalResponse: 'The cheapest is Kestrel £24.90', altered: [] });
    expect(found.log.text).toBe(
      'step 1 action: sort by price, low to high\nstep 2 action: read the first of the list\nFinal Response: The cheapest is Kestrel £24.90\n',
    );
    expect(found.screenshots.map(shot => [shot.name, shot.source])).toEqual([
      ['final_execution_1_sorted_by_price.png', 'harness'],
      ['final_execution_2_result.png', 'harness'],
    ]);
    expect(readFileSync(found.script.path, 'utf8')).toBe(readFileSync(join(folder.workspace, 'final_script.mjs'), 'utf8'));
    expect(evidence.items.map(item => [item.label, item.source, item.title])).toEqual([
      ['sorted by price', 'harness', 'Kettles'],
      ['result', 'harness', 'Kettles'],
      ['end', 'harness', 'Kettles'],
    ]);
    expect(evidence.items[0]!.text).toContain('Kestrel £24.90');

    const { pages } = await environment.finalState();
    expect(pages.map(page => [page.url, page.current])).toEqual([[`${site}/`, true]]);
    expect(await pages[0]!.texts('li')).toEqual(['Kestrel £24.90', 'Heron £39.00']);
  });

test('exploration: heredoc, file and main() end by themselves and make no run', async ({ makeWorkspace, site }) => {
  const { run, environment } = await makeWorkspace();
  const script = `import { open, shot, step } from 'playwright-webwright/script';
    const { page } = await open('${site}/');
    step('look');
    console.log(await page.title());
    await shot('start page');`;
  const inline = await run(heredoc(script));
  expect(inline.output).toContain('Kettles');
  expect(inline).toMatchObject({ returncode: 0, screenshots: ['screenshots/step_0001_start_page.png'], final_run: '' });

  const file = await run(`mkdir -p tools && cat > tools/look.mjs <<'JS'\n${script}\nJS\nnode tools/look.mjs`);
  expect(file).toMatchObject({ returncode: 0, final_run: '' });

  const main = await run(
    heredoc(`import { open } from 'playwright-webwright/script';
      async function main() {
        const { page } = await open('${site}/');
        await new Promise(done => setTimeout(done, 300));
        await page.waitForTimeout(300);
        console.log('title', await page.title());
      }
      main();`),
  );
  expect(main).toMatchObject({ returncode: 0 });
  expect(main.output).toContain('title Kettles');
  expect(await environment.finalRun()).toMatchObject({ ok: false, kind: 'no-run' });
});

test('a person runs the final script twice without the harness and gets two run folders', async ({ makeWorkspace, site }) => {
  const { run, folder } = await makeWorkspace();
  await run(`cat > final_script.mjs <<'JS'\n${finalScript(site)}JS`);
  const { WORKSPACE_DIR: _w, BROWSER_ENDPOINT: _e, ...env } = process.env;
  for (const number of [1, 2]) {
    await promisify(execFile)(process.execPath, ['final_script.mjs'], { cwd: folder.workspace, env });
    const runFolder = join(folder.workspace, 'final_runs', `run_${number}`);
    expect(readdirSync(runFolder).sort()).toEqual(['exit_code', 'final_script.mjs', 'final_script_log.txt', 'screenshots']);
    expect(readFileSync(join(runFolder, 'exit_code'), 'utf8')).toBe('0\n');
    expect(readdirSync(join(runFolder, 'screenshots')).sort()).toEqual([
      'final_execution_1_sorted_by_price.png',
      'final_execution_2_result.png',
    ]);
  }
});

test('look() prints the page folded, with passwords masked', async ({ makeWorkspace, site }) => {
  const { run } = await makeWorkspace({ allow: ['content'] });
  const { output } = await run(
    heredoc(`import { look, open } from 'playwright-webwright/script';
      const { page } = await open('${site}/');
      await look();
      await page.setContent('<ol>' + Array.from({ length: 500 }, (_, i) => '<li>row ' + i).join('') + '</ol><label>Password <input type=password value=hunter22></label>');
      await look();`),
  );
  expect(output).toContain(`URL: ${site}/\nTitle: Kettles\n`);
  expect(output).toMatch(/Heron £39\.00/);
  expect(output).toContain('row 0');
  expect(output).not.toContain('row 250');
  expect(output).not.toContain('hunter22');
});

test('a dialog is answered by the script, and dismissed when nobody listens', async ({ makeWorkspace, site }) => {
  const { run, notes } = await makeWorkspace();
  const { output } = await run(
    heredoc(`import { open } from 'playwright-webwright/script';
      const { page } = await open('${site}/');
      await page.getByText('Ask').click();
      console.log('unheard', await page.title());
      page.once('dialog', dialog => dialog.accept());
      await page.getByText('Ask').click();
      console.log('accepted', await page.title());`),
  );
  expect(output).toContain('unheard false');
  expect(output).toContain('accepted true');
  expect(notes.filter(note => note.startsWith('dialog'))).toEqual(['dialog (confirm): Sure?', 'dialog (confirm): Sure?']);
});

test('tabs, a second context and a download; what is left open at the end is seen', async ({ makeWorkspace, site }) => {
  const { run, environment, evidence } = await makeWorkspace();
  const ran = await run(`cat > final_script.mjs <<'JS'
import { answer, open, shot, step } from 'playwright-webwright/script';
const { page, context } = await open('${site}/');
step('open the second page');
const [popup] = await Promise.all([context.waitForEvent('page'), page.getByText('Second').click()]);
await popup.waitForLoadState();
await shot('second', { page: popup });
const [download] = await Promise.all([page.waitForEvent('download'), page.getByText('File').click()]);
await download.saveAs('list.csv');
const other = await open('${site}/two');
await shot('other context');
answer('done');
await other.context.close();
JS
node final_script.mjs && cat list.csv`);
  expect(ran).toMatchObject({ returncode: 0, final_run: expect.stringContaining('complete') });
  expect(ran.output).toContain('a,b\n');
  expect(evidence.items.map(item => [item.label, item.url.replace(site, '')])).toEqual([
    ['second', '/two'],
    ['other context', '/two'],
    ['end', '/'],
    ['end', '/two'],
    ['end', '/two'],
  ]);
  const { pages, downloads } = await environment.finalState();
  expect(pages.map(page => page.url.replace(site, ''))).toEqual(['/', '/two', '/two']);
  expect(downloads).toMatchObject([{ name: 'list.csv', bytes: 4 }]);
});

test('a run can go on in the session of the last one; any other script begins a new one', async ({ makeWorkspace, site }) => {
  const { run } = await makeWorkspace();
  const script = (options: string) => `
import { answer, open, shot } from 'playwright-webwright/script';
const { page } = await open('${site}/', ${options});
answer('order ' + (await page.evaluate(() => document.cookie || localStorage.order || 'none')));
await page.evaluate(() => { document.cookie = 'order=CB-1001'; localStorage.order = 'CB-1001'; });
await shot('order');`;
  const final = (options: string) => run(`cat > final_script.mjs <<'JS'${script(options)}\nJS\nnode final_script.mjs`);
  expect((await final("{ session: 'previous' }")).output).toContain('there is no earlier run whose session could go on');
  expect((await final('{}')).output).toContain('order none');
  expect((await run(heredoc(script('{}')))).output).toContain('order none');
  const goneOn = await final("{ session: 'previous' }");
  expect(goneOn).toMatchObject({ returncode: 0, notice: '' });
  expect(goneOn.output).toContain('order order=CB-1001');
  expect((await run(heredoc(script("{ session: 'previous' }")))).output).toContain('order order=CB-1001');
  expect((await final('{}')).output).toContain('order none');
});

test('a final script that throws: its log, its exit code and the refusal say so', async ({ makeWorkspace, site }) => {
  const { run, environment } = await makeWorkspace();
  const ran = await run(`cat > final_script.mjs <<'JS'
import { open, shot, step } from 'playwright-webwright/script';
const { page } = await open('${site}/');
step('press what is not there');
await shot('before');
await page.getByText('Nowhere').click({ timeout: 100 });
JS
node final_script.mjs; echo "code $?"`);
  expect(ran.output).toContain('code 1');
  expect(ran.output).toContain('final_script.mjs:5');
  expect(ran).toMatchObject({ returncode: 0, final_run: expect.stringMatching(/ended with exit code 1.*error: locator\.click: Timeout/s) });
  expect(await environment.completion()).toEqual({ refusal: expect.stringContaining('exit code 1') });
});

test('a final script that is killed did not end by itself', async ({ makeWorkspace, site }) => {
  const { run, environment } = await makeWorkspace();
  const ran = await run(`cat > final_script.mjs <<'JS'
import { open, shot } from 'playwright-webwright/script';
const { page } = await open('${site}/');
await shot('start');
for (;;);
JS
node final_script.mjs & until ls final_runs/run_1/screenshots/*.png; do sleep 0.05; done 2>/dev/null; kill -9 $!`);
  expect(ran.final_run).toContain('did not end by itself');
  expect(await environment.finalRun()).toMatchObject({
    ok: false,
    kind: 'exit-code',
    refusal: expect.stringContaining('did not end by itself'),
  });
});

test('each run has its own number; what was changed after a run, or made by hand, is told apart', async ({ makeWorkspace, site }) => {
  const { run, environment } = await makeWorkspace();
  await run(`cat > final_script.mjs <<'JS'\n${finalScript(site)}JS`);
  await run('node final_script.mjs && node final_script.mjs');
  expect(await environment.finalRun()).toMatchObject({ ok: true, run: 2, altered: [] });

  await run('cp final_runs/run_1/screenshots/*1*.png final_runs/run_2/screenshots/final_execution_3_copy.png');
  const copied = await environment.finalRun();
  expect(copied).toMatchObject({ ok: true, run: 2 });
  expect(copied.ok && copied.screenshots.at(-1)).toMatchObject({ name: 'final_execution_3_copy.png' });

  await run('cp task.json final_runs/run_2/screenshots/final_execution_2_result.png');
  expect(await environment.completion()).toEqual({
    refusal: expect.stringMatching(/changed after it was executed.*final_execution_2_result\.png is not the image/s),
  });
  await run('echo "// better" >> final_runs/run_2/final_script.mjs');
  expect(await environment.completion()).toEqual({ refusal: expect.stringContaining('what is handed in must be what was run') });

  await run('mkdir -p final_runs/run_9 && cp final_script.mjs final_runs/run_9/');
  expect(await environment.finalRun()).toMatchObject({ run: 2 });
  const again = await run('cd final_runs/run_9 && node final_script.mjs');
  expect(again.final_run).toContain('run_9 is complete');
});

test('a script that launches Chromium itself makes claims, and claims alone are not handed in', async ({ makeWorkspace, site }) => {
  const { run, environment } = await makeWorkspace({ env: { CHROMIUM: findChromium()?.executablePath ?? '' } });
  const ran = await run(`mkdir -p final_runs/run_1/screenshots && cat > final_runs/run_1/final_script.mjs <<'JS'
import { appendFileSync } from 'node:fs';
import { chromium } from 'playwright';
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM });
const page = await browser.newPage({ viewport: { width: 1280, height: 1800 } });
await page.goto('${site}/');
await page.screenshot({ path: 'final_runs/run_1/screenshots/final_execution_1_list.png' });
appendFileSync('final_runs/run_1/final_script_log.txt', 'step 1 action: look\\nFinal Response: ' + await page.title() + '\\n');
await browser.close();
JS
node final_runs/run_1/final_script.mjs`);
  expect(ran).toMatchObject({ returncode: 0, final_run: expect.stringContaining('run_1 is complete') });
  expect(await environment.finalRun()).toMatchObject({ ok: true, run: 1, screenshots: [{ name: 'final_execution_1_list.png' }] });
  expect(await environment.completion()).toEqual({ refusal: expect.stringContaining('The harness took no picture in final_runs/run_1') });
});

test('the endpoint answers only what it knows', async ({ makeWorkspace, site }) => {
  const { run, environment } = await makeWorkspace();
  const ran = await run(`${heredoc(`import { open } from 'playwright-webwright/script'; await open('${site}/');`)}
ask() { node -e 'require("node:http").request({ socketPath: process.env.BROWSER_ENDPOINT, path: process.argv[1], method: "POST" }, answer => answer.pipe(process.stdout)).end(process.argv[2])' "$1" "$2"; }
ask /nothing '{}'
ask /shot '[]'
ask /shot '{"page":"page@1","name":"x"}'`);
  expect(ran.output).toContain('no such request');
  expect(ran.output).toContain('not a JSON object');
  expect(ran.output).toContain('not in the browser of this attempt');
  expect(await environment.finalRun()).toMatchObject({ ok: false });
});

test('BROWSER_MODE launch: open() starts Chromium in the command, the harness knows the run, and images are claims', async ({
  makeWorkspace,
  site,
}) => {
  const { run, environment, evidence } = await makeWorkspace({
    browserMode: 'launch',
    launchOptions: { executablePath: findChromium()!.executablePath },
  });
  const ran = await run(`cat > final_script.mjs <<'JS'\n${finalScript(site)}JS\necho "$BROWSER_MODE"; node final_script.mjs`);
  expect(ran).toMatchObject({ returncode: 0, output: expect.stringMatching(/^launch\n/), final_run: expect.stringContaining('complete') });
  const found = await environment.finalRun();
  expect(found).toMatchObject({ ok: true, run: 1, step: 1, screenshots: [{ source: 'claim' }, { source: 'claim' }] });
  expect(evidence.items).toEqual([]);
});

test('one context for the whole attempt: the next script finds the page as it was left', async ({ makeWorkspace, site }) => {
  const { run, evidence } = await makeWorkspace({ persistent: true });
  const first = await run(
    heredoc(
      `import { open } from 'playwright-webwright/script'; const { page } = await open('${site}/'); await page.getByLabel('Sort by').selectOption('price');`,
    ),
  );
  expect(first.returncode).toBe(0);
  const second = await run(
    heredoc(
      `import { open } from 'playwright-webwright/script'; const { page } = await open(); console.log(page.url(), await page.getByRole('listitem').first().innerText());`,
    ),
  );
  expect(second.output).toBe(`${site}/ Kestrel £24.90\n`);
  expect(evidence.items.map(item => [item.step, item.label])).toEqual([
    [1, 'end'],
    [2, 'end'],
  ]);
});
