import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const repository = join(import.meta.dirname, '..');

/** In the worker: plain tests and attempts in turns. Both note when each of their steps ended, the first entry is when the first began. */
const spec = ({ rounds, steps, urls, actions, out }) => `
import { appendFileSync } from 'node:fs';
import { observe, test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';

const actions = [${actions.join(',\n')}];
const told = (kind, name, round, from, marks) => appendFileSync(${JSON.stringify(out)}, JSON.stringify({ kind, name, round, from, marks, to: performance.now() }) + '\\n');
test.use({ viewport: { width: 1280, height: 720 }, trace: 'off' });

for (let round = 0; round < ${rounds}; round += 1)
  for (const [name, url] of Object.entries(${JSON.stringify(urls)})) {
    const plain = () => test('plain ' + name + ' ' + round, async ({ page }) => {
      const from = performance.now();
      await page.goto(url);
      const marks = [performance.now()];
      for (let step = 0; step < ${steps}; step += 1) {
        await actions[step % actions.length]({ page });
        await observe(page);
        await page.screenshot({ type: 'png', scale: 'css' });
        marks.push(performance.now());
      }
      told('plain', name, round, from, marks);
    });
    const attempt = () => test.describe('attempt ' + name + ' ' + round, () => {
      const marks = [];
      const agentModel = scripted({
        ...scriptedJudge({ points: ['the steps are done'], looks: ['success'] }),
        agent: (request, index) => {
          marks.push(performance.now());
          return index < ${steps}
            ? { playwright_code: 'return await (' + actions[index % actions.length] + ')({ page })' }
            : { done: true, final_response: 'done' };
        },
      });
      test.use({ agentModel });
      test('attempt', async ({ agent }) => {
        const from = performance.now();
        await agent.run({ id: 'steps', instruction: 'Do the steps.', startUrls: [url] });
        told('attempt', name, round, from, marks);
      });
    });
    for (const each of round % 2 ? [plain, attempt] : [attempt, plain]) each();
  }
`;

const config = `
import { defineConfig } from '@playwright/test';
import { reporters } from 'playwright-webwright/config';
export default defineConfig({ testDir: 'specs', outputDir: 'out', workers: 1, timeout: 120_000, reporter: reporters() });
`;

/**
 * Runs attempts through the real runner, with all reporters of the product, and plain tests that make the same calls, in turns in one worker.
 * One entry a test: `{ kind, name, round, from, marks, to }`, times in ms; `marks` has the begin of the first step and the end of each.
 *
 * @param actions source of functions of `{ page }`
 */
export async function runAttempts({ rounds, steps, urls, actions }) {
  mkdirSync(join(repository, 'reports'), { recursive: true });
  const folder = mkdtempSync(join(repository, 'reports', 'bench-'));
  const out = join(folder, 'times.jsonl');
  mkdirSync(join(folder, 'specs'));
  writeFileSync(join(folder, 'playwright.config.mjs'), config);
  writeFileSync(join(folder, 'specs', 'steps.spec.mjs'), spec({ rounds, steps, urls, actions, out }));
  const cli = createRequire(import.meta.url).resolve('@playwright/test/cli');
  const child = spawn(process.execPath, [cli, 'test'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.on('data', chunk => (printed += chunk));
  const code = await new Promise(resolve => child.on('close', resolve));
  if (code !== 0) throw new Error(`the runner ended with ${code} in ${folder}:\n${printed.slice(-3_000)}`);
  const entries = readFileSync(out, 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  rmSync(folder, { recursive: true });
  return entries;
}
