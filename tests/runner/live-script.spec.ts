import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { runFolderAt } from '../../src/record/run-folder.ts';
import { expect, launchOptions, test } from './live-fixture.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

test('script.mjs and script.spec.ts of an attempt reach the same final page', async ({ live }) => {
  mkdirSync(join(root, 'test-results'), { recursive: true });
  const path = mkdtempSync(join(root, 'test-results', 'live-script-'));
  try {
    live.serve('/file', (_, response) => response.writeHead(200, { 'content-disposition': 'attachment; filename="code.txt"' }).end('42'));
    live.serve('/second', '<title>Second</title><label>Code <input oninput="document.title=\'Code \' + this.value"></label>');
    const start = live.serve(
      '/',
      '<title>First</title><a href="/second" target="_blank">Open</a> <a href="/file">Get</a><button onclick="document.title=String(confirm(\'Sure?\'))">Ask</button>',
    );
    await live.open([start], { folder: runFolderAt(path) });
    const steps = [
      "const wanted: string = `two\n  lines`; state.lines = wanted.split('\\n').length; // kept as it is",
      "await page.getByRole('button', { name: 'No such' }).click({ timeout: 100 })",
      "page.once('dialog', dialog => dialog.accept()); await page.getByRole('button', { name: 'Ask' }).click(); await expect(page).toHaveTitle('true')",
      "await Promise.all([page.waitForEvent('download'), page.getByText('Get').click()]); state.code = await download.text('code.txt')",
      "await Promise.all([context.waitForEvent('page'), page.getByText('Open').click()]); return 'a return keeps to its step'",
      "await page.getByLabel('Code').fill(state.code + '-' + state.lines + '-' + (task as any).id)",
    ];
    for (const code of steps) await live.run(code);
    const done = await live.run('return 1');
    expect(done.fields).toMatchObject({ title: 'Code 42-2-live', url: `${live.origin}/second` });
    await live.environment().close();

    const line = `done: ${live.origin}/second Code 42-2-live`;
    const env = {
      ...process.env,
      CHROMIUM: launchOptions.executablePath ?? '',
      CHROMIUM_ARGS: (launchOptions.args ?? []).join(' '),
      FORCE_COLOR: '0',
    };
    const program = await promisify(execFile)(process.execPath, [join(path, 'script.mjs')], { env });
    expect(program.stdout).toContain(line);
    expect(readFileSync(join(path, 'script.mjs'), 'utf8')).toContain('// Step 2 failed: ');
    const spec = await promisify(execFile)(
      process.execPath,
      ['node_modules/@playwright/test/cli.js', 'test', '-c', 'tests/runner/live-cases/script.config.ts', '--output', join(path, 'out')],
      { cwd: root, env: { ...env, SCRIPT_FOLDER: path } },
    );
    expect(spec.stdout).toContain(line);
    expect(spec.stdout).toContain('1 passed');
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
});
