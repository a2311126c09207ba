import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
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

test('a final script goes all the way: run folder, log, screenshots, evidence', async ({ makeWorkspace, site }) => {
  const { run, environment, evidence, folder } = await makeWorkspace({ startUrls: [`${site}/`] });
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
