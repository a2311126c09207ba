import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { readEvents } from '../../src/record/event-log.ts';
import { webwright } from '../unit/cli/run-cli.ts';
import { hasBwrap, noBwrap } from '../unit/sandbox/has-bwrap.ts';
import { makeProject, runProject } from './project.ts';

const config = (extra = '') =>
  `export default { testDir: '.', testIgnore: '**/reports/**', workers: 2, fullyParallel: true, ${extra} reporter: [['playwright-webwright/reporter', { steps: false }], ['json', { outputFile: 'report.json' }]] };`;

/** An honest live attempt of one step; `before` runs in the worker when the model is first asked. */
const spec = (before: string) => `
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
const agent = (_request, index) => {
  if (index === 1) return { done: true, final_response: 'Bought.' };
  ${before}
  return { playwright_code: "await page.setContent('<h1>Bought</h1>')" };
};
test.use({ agentModel: scripted({ agent, ...scriptedJudge({ points: ['it is bought'], looks: ['success'] }) }) });
test('buys', async ({ agent }) => {
  await agent.run({ id: 'kettle', instruction: 'Buy the kettle.' });
});`;

test.describe('J7 a record that cannot be written fails the test, and says so', () => {
  const rows: [name: string, mount: (runs: string) => string[], before: string, says: RegExp][] = [
    [
      'the disk is full',
      runs => ['--size', '1000000', '--tmpfs', runs],
      // Leaves no room for a picture.
      "try { for (let n = 0; ; n += 1) writeFileSync(join('reports', 'runs', 'fill' + n), Buffer.alloc(4096)); } catch {}",
      /record of the attempt cannot be written: .*ENOSPC[\s\S]*try: {2}make room/,
    ],
    ['the folder is read-only', runs => ['--ro-bind', runs, runs], '', /No run folder can be made: [\s\S]*run\.output_dir/],
  ];
  for (const [name, mount, before, says] of rows) {
    test(`J7 ${name}`, async () => {
      test.skip(!hasBwrap, noBwrap);
      const folder = makeProject({ 'playwright.config.ts': config(), 'a.spec.ts': spec(before) });
      const runs = join(folder, 'reports', 'runs');
      mkdirSync(runs, { recursive: true });
      const run = await runProject({ folder, within: ['bwrap', '--dev-bind', '/', '/', ...mount(runs), '--'] });
      expect(run.exitCode).not.toBe(0);
      const [told] = run.tests;
      expect(told?.status, run.stdout).toBe('failed');
      expect(told!.errors.join('\n')).toMatch(says);
      for (const { outcome } of told!.attempts) expect(outcome).toBe('errored');
    });
  }
});

/** Attempts without a browser, each tried again once. */
const retried = `
import { expect, workspaceTest as test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
for (const title of ['buys', 'BUYS', 'buys!']) test.describe(title, () => {
  test.use({ agentModel: scripted({ agent: [{ bash_command: 'true' }, { done: true, final_response: 'Blocked: no shop.' }], ...scriptedJudge({ points: ['it is bought'] }) }) });
  test(title, async ({ agent }, info) => {
    await agent.run({ id: 'kettle', instruction: 'Buy the kettle.' }, { assert: false, config: ['environment.sandbox.use=process'] });
    expect(info.retry, 'passes when it is tried again').toBe(1);
  });
});`;

test('J8 workers, repeats, retries and shards have run folders and nonces of their own, each sealed', async () => {
  test.slow(); // twelve attempts, each in a worker of its own
  const folder = makeProject({ 'playwright.config.ts': config('retries: 1,'), 'a.spec.ts': retried });
  const attempts = new Map<string, string>();
  for (const shard of ['1/2', '2/2']) {
    const run = await runProject({ folder, args: [`--shard=${shard}`, '--repeat-each=2'], env: { WEBWRIGHT_RUN_ID: 'same' } });
    for (const { runFolder, seal } of run.tests.flatMap(each => each.attempts)) {
      expect((await webwright(['verify', join(folder, runFolder), '--head', seal!.head])).out).toMatch(/^intact/);
      attempts.set(runFolder, seal!.head);
    }
  }
  expect(attempts.size, [...attempts.keys()].join('\n')).toBe(6);
  expect(new Set(attempts.values()).size).toBe(6);
  // With the first tries, of which the report shows that they were retried.
  const runs = join(folder, 'reports', 'runs', 'same');
  const opened = readdirSync(runs)
    .flatMap(test => readdirSync(join(runs, test)).map(k => readEvents(join(runs, test, k, 'events.jsonl'))[0]!))
    .flatMap(event => (event.type === 'record-opened' ? [event] : []));
  expect(new Set(opened.map(({ nonce }) => nonce)).size).toBe(12);
  expect(opened.map(({ retry }) => retry).sort()).toEqual([0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
});
