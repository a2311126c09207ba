import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { chromium, expect, test } from '@playwright/test';
import { findChromium } from '../../src/config/browser.ts';
import { makeProject } from './project.ts';

const files = {
  'it.spec.ts': `
import { chromium, expect, test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
test.use({ agentModel: scripted({
  ...scriptedJudge({ points: ['counted'], looks: ['success'] }),
  agent: [{ playwright_code: "await page.getByText('More').click(); return 'two'" }, { done: true, final_response: '2 orders' }],
}) });
test('orders', async ({ agent, page }) => {
  await page.setContent('<title>Orders</title><button>More</button><p>2 orders</p>');
  await agent.run('Count the orders.');
  await expect(page).toHaveTitle('Orders');
});`,
};

test('--ui: an attempt runs in the UI mode of Playwright, and its actions stand below their turn', async () => {
  const cli = join(import.meta.dirname, '..', '..', 'node_modules', '@playwright', 'test', 'cli.js');
  const { TEST_WORKER_INDEX: _, TEST_PARALLEL_INDEX: __, ...env } = process.env;
  const child = spawn(process.execPath, [cli, 'test', '--ui-host=127.0.0.1', '--ui-port=0'], { cwd: makeProject(files), env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  const { executablePath, args } = findChromium()!;
  const browser = await chromium.launch({ executablePath, args });
  try {
    await expect.poll(() => output, { timeout: 30_000 }).toContain('Listening on http');
    const page = await browser.newPage({ viewport: { width: 1500, height: 1000 } });
    await page.goto(/http:\S+/.exec(output)![0]);
    await page.getByRole('treeitem', { name: 'it.spec.ts' }).waitFor();
    await page.getByTitle('Run all').click();
    await page.getByRole('treeitem', { name: '[icon-check] it.spec.ts' }).waitFor({ timeout: 60_000 });
    await page.getByText('orders', { exact: true }).first().click();
    const turn = page.getByRole('treeitem', { name: /^step 1 .*getByText/ });
    const group = turn.getByRole('treeitem', { name: /^step 1/ });
    for (const level of [turn, group]) {
      await level.click();
      await page.keyboard.press('ArrowRight');
    }
    await expect(group.getByRole('treeitem', { name: /^Click/ })).toBeVisible();
  } finally {
    await browser.close();
    child.kill();
  }
});
