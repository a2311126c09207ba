import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, chromium, expect, type Page } from '@playwright/test';
import { startFaultServer } from '../../fixtures/testing/fault-server.ts';
import { answersCdp } from '../../src/environments/browser/start-chrome.ts';
import { freePort, startPersonsChrome } from './mode-servers.ts';
import { makeProject, runProject } from './project.ts';

/** A site with a form to log in, which only a person can fill. */
const test = base.extend<{ site: string }>({
  site: async ({}, use) => {
    const server = createServer((request, response) => {
      response.setHeader('content-type', 'text/html');
      if (request.url === '/enter') response.writeHead(302, { 'set-cookie': 'who=mia', location: '/account' }).end();
      else if (request.headers.cookie === 'who=mia') response.end('<title>Account of Mia</title><p id="account">2 orders</p>');
      else response.end('<title>Log in</title><form action="/enter" method="post"><input type="password"><button>Log in</button></form>');
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  },
});

/** A person at a browser: finds the tab with the form and logs in there. */
async function logIn(url: string): Promise<{ tab: Page; leave: () => Promise<void> }> {
  const browser = await chromium.connectOverCDP(url);
  let tab: Page | undefined;
  await expect(async () => {
    for (const page of browser.contexts().flatMap(context => context.pages())) if ((await page.title()) === 'Log in') tab = page;
    expect(tab).toBeTruthy();
  }).toPass();
  await tab!.locator('input').fill('only Mia knows');
  await tab!.getByText('Log in').click();
  return { tab: tab!, leave: () => browser.close() };
}

const repository = join(import.meta.dirname, '..', '..');
const turn = (fields: object) => JSON.stringify({ thought: '', playwright_code: '', done: false, final_response: '', ...fields });

test('webwright run --headed: a person logs in, the agent goes on in that tab, and the window stays theirs', async ({ site }) => {
  // No X server is needed: a full Chromium that takes itself for one with windows.
  const [model, port] = await Promise.all([startFaultServer(), freePort()]);
  model.script(
    [
      JSON.stringify({ points: ['the orders are counted'] }),
      turn({ playwright_code: 'return await page.title()' }),
      turn({ done: true, final_response: 'Blocked: enough seen (step 1)' }),
    ].map(text => ({ kind: 'answer', text }) as const),
  );
  const folder = mkdtempSync(join(tmpdir(), 'webwright-person-'));
  writeFileSync(
    join(folder, 'playwright.config.mjs'),
    `export default { use: { launchOptions: { args: ['--headless=new', '--remote-debugging-port=${port}'] } } };`,
  );
  const config = [
    'local_browser.yaml',
    'model_local.yaml',
    'model.model_name=m',
    `model.base_url=${model.baseUrl('chat')}`,
    'environment.wait_for_person=url:**/account',
    'environment.prompt_before_close=true',
    'environment.keep_open_on_exit=true',
  ];
  const { TEST_WORKER_INDEX: _, TEST_PARALLEL_INDEX: __, ...inherited } = process.env;
  const child = spawn(
    process.execPath,
    [
      join(repository, 'dist', 'src', 'cli', 'main.js'),
      ...['run', '--headed', '-t', 'Count the orders.', '--start-url', `${site}/`, '--task-id', 'orders'],
      ...config.flatMap(spec => ['-c', spec]),
    ],
    { cwd: folder, env: { ...inherited, FORCE_COLOR: '0' } },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  const ended = new Promise<number | null>(resolve => child.on('close', resolve));
  try {
    await expect.poll(() => answersCdp(`http://127.0.0.1:${port}`), { timeout: 60_000, message: output }).toBe(true);
    const person = await logIn(`http://127.0.0.1:${port}`);
    await expect.poll(() => output, { timeout: 60_000 }).toContain('its page is still open. Press Enter to go on.');
    child.stdin.write('\n');
    await expect.poll(() => output, { timeout: 30_000 }).toContain('stays open until you close its window');
    await expect(person.tab).toHaveTitle('Account of Mia');
    await person.tab.close();
    await person.leave();
    expect(await ended, output).toBe(4);
    const events = readFileSync(join(folder, /^run folder: (.*)$/m.exec(output)![1]!, 'events.jsonl'), 'utf8');
    expect(events).toContain('A person has worked in this tab before you');
    expect(events).toContain('Returned: Account of Mia');
    expect(events).not.toContain('only Mia knows');
    expect(readdirSync(folder).sort()).toEqual(['playwright.config.mjs', 'reports']);
  } finally {
    child.kill();
    await ended;
    await model.close();
  }
});

test('local_cdp: Enter hands over, and the tab stays open when asked for', async ({ site }) => {
  const chrome = await startPersonsChrome();
  const spec = (title: string, config: string[]) => `
import { test, expect } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
test.use({
  agentConfig: ${JSON.stringify(config)},
  agentModel: scripted({
    ...scriptedJudge({ points: ['counted'], looks: ['success'] }),
    agent: [{ playwright_code: "return await page.locator('#account').textContent()" }, { done: true, final_response: '2 orders' }],
  }),
});
test(${JSON.stringify(title)}, async ({ agent, page }) => {
  await agent.run({ id: 'orders', instruction: 'Count the orders.', startUrls: [${JSON.stringify(`${site}/`)}] });
  await expect(page).toHaveTitle('Account of Mia');
});`;
  const folder = makeProject({
    'first.spec.ts': spec('enter', ['environment.wait_for_person=enter', 'environment.keep_open_on_exit=true']),
    'second.spec.ts': spec('selector', ['environment.wait_for_person=selector:#account']),
    'playwright.config.ts': `export default { workers: 2, fullyParallel: true, timeout: 20_000, outputDir: './test-results',
      reporter: [['json', { outputFile: 'report.json' }], ['playwright-webwright/reporter']],
      use: { browserMode: 'local_cdp', cdp: { url: ${JSON.stringify(chrome.url)} } } };`,
  });
  const leaving: Promise<() => Promise<void>>[] = [];
  try {
    // Whoever comes first waits for the form to be filled; the other finds the person logged in.
    leaving.push(logIn(chrome.url).then(({ leave }) => leave));
    const run = await runProject({
      folder,
      onOutput: (chunk, type) => {
        if (chunk.includes('Press Enter')) void leaving[0]!.then(() => type('\n'));
      },
    });
    expect(run.tests.flatMap(each => each.errors)).toEqual([]);
    expect(run.tests.map(each => each.status)).toEqual(['passed', 'passed']);
    const open = (await (await fetch(`${chrome.url}/json/list`)).json()) as { type: string; url: string }[];
    expect(open.filter(({ url }) => url.startsWith(site)).map(({ url }) => url)).toHaveLength(1);
  } finally {
    await (await leaving[0])?.();
    await chrome.close();
  }
});
