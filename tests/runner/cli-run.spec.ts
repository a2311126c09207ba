import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { type FaultServer, startFaultServer } from '../../fixtures/testing/fault-server.ts';

const repository = join(import.meta.dirname, '..', '..');

/** An empty folder, a page, and a model endpoint on loopback that answers in order. */
const test = base.extend<{ folder: string; model: FaultServer; page_: string }>({
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'webwright-run-'));
    await use(folder);
    rmSync(folder, { recursive: true });
  },
  model: async ({}, use) => {
    const server = await startFaultServer();
    await use(server);
    await server.close();
  },
  page_: async ({}, use) => {
    const server: Server = createServer((_, response) =>
      response.setHeader('content-type', 'text/html').end('<title>Shop</title><h1>Kettles</h1>'),
    );
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    await new Promise(resolve => server.close(resolve));
  },
});

async function webwright({ args, cwd, env = {} }: { args: string[]; cwd: string; env?: Record<string, string> }) {
  const { TEST_WORKER_INDEX: _, TEST_PARALLEL_INDEX: __, ...inherited } = process.env;
  const main = join(repository, 'dist', 'src', 'cli', 'main.js');
  const child = spawn(process.execPath, [main, ...args], {
    cwd,
    env: { ...inherited, FORCE_COLOR: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', chunk => (output += chunk));
  child.stderr.on('data', chunk => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, output };
}

const turn = (fields: Record<string, unknown>) =>
  JSON.stringify({ thought: '', playwright_code: '', done: false, final_response: '', ...fields });
const answer = (text: string) => ({ kind: 'answer', text }) as const;
const points = answer(JSON.stringify({ points: ['the price is told'] }));
const live = (model: FaultServer) => [
  '-c',
  'local_browser.yaml',
  '-c',
  'model_local.yaml',
  '-c',
  'model.model_name=m',
  '-c',
  `model.base_url=${model.baseUrl('chat')}`,
];

test('in an empty folder: the task runs in Playwright Test and the exit code says how it ended', async ({ folder, model, page_ }) => {
  model.script([
    points,
    answer(turn({ playwright_code: 'return await page.title()' })),
    answer(turn({ done: true, final_response: 'Blocked: no kettle is sold here (step 1)' })),
  ]);
  const { code, output } = await webwright({
    args: ['run', '-t', 'Tell the price.', '--start-url', page_, '--task-id', '../kettle', ...live(model)],
    cwd: folder,
  });
  expect(output).toContain('No Playwright config here');
  expect(output).toMatch(/At most 100 turns, 30 minutes, 5000000 tokens, \$5\./);
  expect(output).toContain('gave_up: Blocked: no kettle is sold here');
  expect(code).toBe(4);

  const runFolder = join(folder, /^run folder: (.*)$/m.exec(output)![1]!);
  expect(readFileSync(join(runFolder, 'events.jsonl'), 'utf8')).toContain('Returned: Shop');
  expect(readdirSync(folder)).toEqual(['reports']);
});

test("the user's own Playwright config applies, and -o says where", async ({ folder, model, page_ }) => {
  writeFileSync(
    join(folder, 'playwright.config.ts'),
    "import type { PlaywrightTestConfig } from '@playwright/test';\nexport default { globalSetup: './setup.ts', use: { locale: 'de-DE' } } as PlaywrightTestConfig;\n",
  );
  writeFileSync(
    join(folder, 'setup.ts'),
    "import { writeFileSync } from 'node:fs';\nexport default () => writeFileSync('was-set-up', '');\n",
  );
  model.script([
    points,
    answer(turn({ playwright_code: 'return await page.evaluate(() => navigator.language)' })),
    answer(turn({ done: true, final_response: 'Blocked: it is' })),
  ]);
  const { code, output } = await webwright({
    args: ['run', '-t', 'Tell the price.', '--start-url', page_, '-o', 'out', ...live(model)],
    cwd: folder,
  });
  expect(output).toContain('Your playwright.config.ts applies');
  expect(code).toBe(4);
  expect(existsSync(join(folder, 'was-set-up'))).toBe(true);
  const runFolder = /^run folder: (out.*)$/m.exec(output)![1]!;
  expect(readFileSync(join(folder, runFolder, 'events.jsonl'), 'utf8')).toContain('Returned: de-DE');
});

test('an endpoint that is not there is an error, not a result', async ({ folder, page_ }) => {
  const args = ['run', '-t', 'x', '--start-url', page_, '-c', 'local_browser.yaml', '-c', 'model_local.yaml', '-c', 'model.model_name=m'];
  const { code, output } = await webwright({
    args: [...args, '-c', 'model.base_url=http://127.0.0.1:9/v1', '-c', 'model.total_timeout_seconds=3'],
    cwd: folder,
  });
  expect(code).toBe(5);
  expect(output).toContain('the endpoint could not be reached');
});

test('wrong use never starts a browser: no task, unknown key, missing key', async ({ folder }) => {
  expect(await webwright({ args: ['run'], cwd: folder })).toMatchObject({ code: 2, output: expect.stringContaining('needs a task') });
  expect(await webwright({ args: ['run', '-t', 'x', '-c', 'agent.step_limt=1'], cwd: folder })).toMatchObject({
    code: 2,
    output: expect.stringContaining('did you mean agent.step_limit?'),
  });
  expect(readdirSync(folder)).toEqual([]);
});
