import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, expect, test } from '@playwright/test';
import { findChromium } from '../../src/config/browser.ts';
import { makeProject, runProject } from './project.ts';

const config = `export default { testDir: '.', workers: 1, reporter: [['list'], ['playwright-webwright/reporter'], ['html', { open: 'never', outputFolder: 'html' }], ['json', { outputFile: 'report.json' }]] };`;

const esc = String.fromCharCode(27);

/** Says everything that a page, a model or a judge could say to a terminal and to a browser that shows a report. */
const spec = (hits: string) => `
import { test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
const markup = '<img src="${hits}/img" onerror="window.hit=1"><script>window.hit=1;fetch("${hits}/script")</script><svg onload="window.hit=1"></svg> [link](javascript:window.hit=1) ![x](${hits}/md) "><iframe src="javascript:window.hit=1">';
const terminal = '\\u001b[2J\\u001b]0;owned\\u0007\\u001b]52;c;b3duZWQ=\\u0007\\u009b31mred\\u001b]8;;${hits}/osc\\u0007click\\u001b]8;;\\u0007';
const hostile = terminal + markup;
test.use({ agentModel: scripted({ agent: [
  { thought: hostile, playwright_code: '/* ' + hostile.replaceAll('*/', '') + ' */ console.log(' + JSON.stringify(hostile) + '); await page.setContent("<title>" + ' + JSON.stringify(terminal) + ' + "</title>"); throw new Error(' + JSON.stringify(hostile) + ')' },
  { done: true, final_response: 'Blocked: ' + hostile },
], ...scriptedJudge({ points: [hostile.slice(0, 500)] }) }) });
test('hostile', async ({ agent }) => {
  await agent.run({ id: 'a"><b>' + hostile, instruction: hostile, rubric: [{ id: 'R1', requirement: hostile }] });
});`;

test('J9 J10 what pages, agents and judges say is inert: in the reports no script and no request, on the terminal no escape sequence', async () => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const found = findChromium()!;
  const browser = await chromium.launch({ executablePath: found.executablePath, args: found.args });
  try {
    const hits = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const folder = makeProject({ 'playwright.config.ts': config, 'hostile.spec.ts': spec(hits) });
    // A terminal of its own, as a person has it.
    const run = await runProject({ folder, within: ['sh', '-c', 'script -qefc "$*" typescript', 'terminal'] });
    const [attempt] = run.tests[0]?.attempts ?? [];
    expect(attempt?.outcome, run.stdout).toBe('gave_up');
    const terminal = readFileSync(join(folder, 'typescript'), 'utf8');
    expect(terminal).toContain('Blocked:');
    // Colours and cursor moves are Playwright's own; nothing else may be there.
    const rest = terminal.replaceAll(new RegExp(`${esc}\\[[\\d;]*[mAGK]`, 'g'), '');
    for (const control of [esc, '\u009b', '\u0007']) expect(rest).not.toContain(control);

    const page = await browser.newPage();
    const outside: string[] = [];
    page.on('request', request => {
      if (request.url().startsWith('http')) outside.push(request.url());
    });
    page.on('dialog', dialog => void outside.push(dialog.message()));
    for (const file of ['reports/benchmark/index.html', 'html/index.html']) {
      await page.goto(pathToFileURL(join(folder, file)).href);
      if (file.startsWith('html/')) await page.getByRole('link', { name: 'hostile', exact: true }).first().click();
      else await expect(page.locator('tr.attempt')).toHaveCount(1);
      await page.evaluate(() => {
        for (const details of document.querySelectorAll('details')) details.open = true;
      });
      for (const step of await page.locator('.tree-item-title').all()) await step.click();
      await expect(page.getByText('Blocked').first()).toBeVisible();
      expect(await page.evaluate(() => 'hit' in window), file).toBe(false);
      expect(await page.locator('a[href^="javascript:" i]').count()).toBe(0);
    }
    expect(outside).toEqual([]);
    expect(asked).toEqual([]);
  } finally {
    await browser.close();
    server.close();
  }
});
