import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rungs } from '../../src/sandbox/box/box.ts';
import { hasBwrap, noBwrap } from '../unit/sandbox/has-bwrap.ts';
import { hasUid, noUid } from '../unit/sandbox/has-uid.ts';
import { expect, launchOptions, test } from './live-fixture.ts';
import { processesOf } from './processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** What hostile code tries; each line says that it worked. */
const attack = ({ outside, worker, origin }: { outside: string; worker: number; origin: string }) => `
  const { appendFileSync, openSync, readdirSync, readFileSync, writeFileSync } = await import('node:fs');
  const tries = {
    files: () => readFileSync(${JSON.stringify(outside)}),
    project: () => readFileSync(${JSON.stringify(`${root}package-lock.json`)}),
    write: () => appendFileSync(${JSON.stringify(outside)}, 'x'),
    signal: () => process.kill(${worker}, 0),
    environ: () => readFileSync('/proc/${worker}/environ'),
    memory: () => openSync('/proc/${worker}/mem', 'r'),
    network: () => fetch('${origin}/'),
    temporary: () => writeFileSync((process.env.TMPDIR ?? '') + '/x', 'x'),
    page: async () => { if (await page.title() !== 'Home') throw new Error(); },
  };
  const worked = [];
  for (const [name, action] of Object.entries(tries)) try { await action(); worked.push(name); } catch {}
  return worked.join();`;

const expected = {
  bwrap: 'temporary,page',
  uid: 'files,project,network,temporary,page',
  process: 'files,project,write,signal,environ,memory,network,temporary,page',
};

for (const rung of rungs) {
  test.describe(`live code on the rung ${rung}`, () => {
    test.skip(rung === 'bwrap' && !hasBwrap, noBwrap);
    test.skip(rung === 'uid' && !hasUid, noUid);
    const sandbox = { use: rung, require: null };

    test('C12, C13, C15 it can do what its rung allows, and the page is there', async ({ live }, testInfo) => {
      const outside = testInfo.outputPath('outside');
      writeFileSync(outside, 'untouched', { mode: 0o644 });
      await live.open([live.serve('/', '<title>Home</title>')], { sandbox });
      const worked = String((await live.run(attack({ outside, worker: process.pid, origin: live.origin }))).fields['return_value']);
      expect(worked).toBe(expected[rung]);
      if (rung !== 'process') expect(readFileSync(outside, 'utf8')).toBe('untouched');
      expect(live.environment().serialize()).toMatchObject({ rung, sandbox: expect.stringMatching(new RegExp(`^${rung}`)) });
    });

    test('A4 heap and buffers are bounded, fast and slow', async ({ live }) => {
      await live.open([], { sandbox, limits: { memoryMb: 128 } });
      for (const code of [
        'const all = []; for (let i = 0; i < 3e3; i++) all.push(new Array(1.25e5).fill(i));',
        'const all = []; for (let i = 0; i < 300; i++) all.push(Buffer.alloc(1e7, 1));',
        'const all = []; for (let i = 0; i < 300; i++) { all.push(Buffer.alloc(1e7, 1)); await new Promise(done => setTimeout(done, 5)); }',
      ])
        expect((await live.run(code)).exception).toContain('more than 128 MB of memory');
      expect((await live.run('return 1')).success).toBe(true);
    });

    test('A11 a killed worker leaves no child behind, not even one in a loop', async () => {
      const script = `
        import { chromium } from '@playwright/test';
        import { dirname } from 'node:path';
        import { openEndpoint } from './dist/src/environments/endpoint.js';
        import { startChild } from './dist/src/environments/live/child.js';
        import { openLiveBox } from './dist/src/environments/live/live-box.js';
        import { compileStep } from './dist/src/environments/live/compile.js';
        const browser = await chromium.launch(${JSON.stringify(launchOptions)});
        const context = await browser.newContext();
        const page = await context.newPage();
        const { address } = await openEndpoint({ browser });
        const nodePath = process.execPath;
        const box = await openLiveBox({ wanted: ${JSON.stringify(sandbox)}, endpoint: { address, folder: dirname(address) }, nodePath, memoryMb: 256 });
        const child = startChild({ nodePath, box, memoryMb: 256, outputChars: 1000, onMessage: () => {} });
        await child.attach({ endpoint: address, contextGuid: context._guid, ownPageGuid: page._guid, task: {}, actionTimeoutMs: 1000, navigationTimeoutMs: 1000 });
        const run = (id, code) => child.run({ id, js: compileStep({ code, step: 1 }).js, step: 1, pageGuid: page._guid, timeoutMs: 60000, signal: new AbortController().signal });
        const { value } = await run('a', 'return process.env.WEBWRIGHT_PROCESS_TREE');
        void run('b', 'for (;;) {}');
        console.log(value);`;
      const worker = spawn(process.execPath, ['--input-type=module', '-e', script], { cwd: root, stdio: ['ignore', 'pipe', 'inherit'] });
      const [line] = await once(worker.stdout, 'data');
      const tree = String(line).trim();
      expect(processesOf(tree).length).toBeGreaterThan(0);
      worker.kill('SIGKILL');
      await expect.poll(() => processesOf(tree), { timeout: 5_000 }).toEqual([]);
    });
  });
}

test('what a runner child leaves on this machine is removed', async ({ live }) => {
  await live.open([], { sandbox: { use: 'process', require: null } });
  const folder = String((await live.run('return process.env.TMPDIR')).fields['return_value']);
  expect(existsSync(folder)).toBe(true);
  await live.environment().close();
  expect(existsSync(folder)).toBe(false);
});
