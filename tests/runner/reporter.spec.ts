import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, expect, test } from '@playwright/test';
import { findChromium } from '../../src/config/browser.ts';
import { attemptAttachment, startedAttachment, taskAnnotation } from '../../src/core/attempt-result.ts';
import { webwright } from '../unit/cli/run-cli.ts';
import { attempt } from '../unit/reporter/attempt.ts';
import { makeProject, runProject } from './project.ts';

const repository = join(import.meta.dirname, '../..');
const reporter = join(repository, 'src/reporter/index.ts');

const configOf = (reporters: unknown[]) => `export default { fullyParallel: true, workers: 1, reporter: ${JSON.stringify(reporters)} };`;
const config = configOf([['list'], [reporter], ['html', { open: 'never', outputFolder: 'reports/html' }]]);

/** Tests that hand attempts over as the agent fixture does. */
const spec = `
import { expect, test } from '@playwright/test';
const task = id => ({ annotation: { type: '${taskAnnotation}', description: id } });
const handOver = (info, attempt) => info.attach('${attemptAttachment}', { body: JSON.stringify(attempt), contentType: 'application/json' });
const passed = ${JSON.stringify(attempt({ taskId: 'kettle', source: 'replayed', runFolder: 'reports/runs/r/kettle 1/1' }))};
test('kettle', task('kettle'), async ({}, info) => {
  await test.step('step 1', async () => {}, { subtitle: 'page.goto() · 12 tokens' });
  await handOver(info, passed);
});
test('atlas', task('atlas'), async ({}, info) => {
  await handOver(info, { ...passed, taskId: 'atlas', outcome: 'failed', reason: 'R1 fail: <b>no\\u001b[2J</b>' });
  expect(1, 'not done').toBe(2);
});
test('twice', async ({}, info) => {
  await handOver(info, { ...passed, taskId: 'first' });
  await handOver(info, { ...passed, taskId: 'second', k: 2 });
});
test('broken', task('broken'), async () => { throw new Error('Unknown config key'); });
test('expired', task('expired'), async () => { test.skip(true, 'the site is gone'); });
test('no agent', async () => {});
`;

const resultsOf = (folder: string) =>
  readFileSync(join(folder, 'reports/benchmark/results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line));

test('steps are printed while they run; every planned attempt is in the results, its page and its links', async () => {
  const folder = makeProject({ 'playwright.config.ts': config, 'a.spec.ts': spec });
  mkdirSync(join(folder, 'reports/runs/r/kettle 1/1/debug'), { recursive: true });
  writeFileSync(join(folder, 'reports/runs/r/kettle 1/1/debug/steps.md'), '# step 1');
  const { stdout, exitCode } = await runProject({ folder });
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(/kettle +step 1 {2}page\.goto\(\) · 12 tokens {2}\(\d+\.\d s\)/);
  expect(stdout).toContain('webwright, replayed: 3 of 6 passed: 50 %');
  expect(stdout).toContain('without 2 that say nothing about the agent: 3 of 4 passed');
  expect(stdout).not.toContain('\x1b[2J');

  const results = resultsOf(folder);
  expect(results.map(({ taskId, outcome, excluded }) => [taskId, outcome, excluded])).toEqual([
    ['kettle', 'passed', null],
    ['atlas', 'failed', null],
    ['first', 'passed', null],
    ['second', 'passed', null],
    ['broken', 'errored', 'it failed before the first action'],
    ['expired', 'skipped', 'the site is gone'],
  ]);
  expect(results[4]).toMatchObject({
    schemaVersion: 1,
    reason: 'harness: Error: Unknown config key',
    test: { title: 'broken', file: 'a.spec.ts' },
  });

  const found = findChromium()!;
  const browser = await chromium.launch({ executablePath: found.executablePath, args: found.args });
  try {
    const page = await browser.newPage();
    const complaints: string[] = [];
    page.on('console', message => complaints.push(message.text()));
    await page.goto(pathToFileURL(join(folder, 'reports/benchmark/index.html')).href);
    await expect(page.locator('h2')).toHaveText(['Replayed: the model’s replies came from recordings']);
    await expect(page.locator('tr.attempt')).toHaveCount(6);
    await expect(page.locator('.headline strong')).toHaveCSS('font-size', '35.2px');
    await expect(page.getByText('R1 fail: <b>no')).toBeVisible();
    const links = await page.locator('a').evaluateAll(all => all.map(link => (link as HTMLAnchorElement).href));
    expect(links.length).toBeGreaterThanOrEqual(8);
    for (const link of links) expect(existsSync(fileURLToPath(link.replace(/#.*/, ''))), link).toBe(true);
    expect(complaints).toEqual([]);
  } finally {
    await browser.close();
  }
});

test('an attempt whose worker was killed is completed from its events and counts as failed', async () => {
  const runFolder = 'reports/runs/r/killed-0/1';
  const { schemaVersion, taskId, instruction, benchmark, level, environment, k, repeat, agentModel, judgeModel, startedAt } = attempt();
  const started = {
    schemaVersion,
    taskId,
    instruction,
    benchmark,
    level,
    environment,
    k,
    repeat,
    agentModel,
    judgeModel,
    startedAt,
    runFolder,
  };
  const usage = { inputTokens: 100, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 20, reasoningTokens: 0 };
  const time = '2026-01-02T03:04:15.000Z';
  const events = [
    { seq: 0, time: startedAt, type: 'attempt-started', task: { id: taskId }, config: {}, environment: {} },
    {
      seq: 1,
      time,
      type: 'model-called',
      role: 'agent',
      key: 'step-1',
      step: 1,
      requestDigest: 'd',
      model: 'gpt-x',
      usage,
      costUsd: 0.5,
      durationMs: 9,
      attempts: 1,
      finishReason: 'stop',
      source: 'live',
    },
    { seq: 2, time, type: 'action-started', step: 1, code: 'while(true){}' },
  ];
  const folder = makeProject({
    'playwright.config.ts': config,
    [`${runFolder}/run.json`]: '{ "outcome": null, "configDigest": "c" }',
    [`${runFolder}/events.jsonl`]: `${events.map(event => JSON.stringify(event)).join('\n')}\n{"seq":3,"ti`,
    'a.spec.ts': `
      import { test } from '@playwright/test';
      test('killed', async ({}, info) => {
        info.attachments.push({ name: '${startedAttachment}', contentType: 'application/json', body: Buffer.from(${JSON.stringify(JSON.stringify(started))}) });
        await test.step('step 1', async () => {});
        process.kill(process.pid, 'SIGKILL');
        await new Promise(() => {});
      });`,
  });
  const { stdout } = await runProject({ folder });
  expect(stdout).toContain('webwright, live: 0 of 1 passed');
  expect(resultsOf(folder)).toMatchObject([
    {
      taskId,
      outcome: 'errored',
      reason: expect.stringMatching(/^harness: .*exited/),
      excluded: null,
      steps: 1,
      costUsd: 0.5,
      durationMs: 10_000,
    },
  ]);
  const read = (name: string) => JSON.parse(readFileSync(join(folder, runFolder, name), 'utf8'));
  expect(read('run.json')).toMatchObject({ outcome: 'errored', configDigest: 'c' });
  expect(read('trajectory.json')).toMatchObject({ trajectory_format: 'webwright-0.1', info: { api_calls: 1 } });
});

test('J6 an agent whose worker is killed in its second turn has failed, and is readable to its last line', async () => {
  const folder = makeProject({
    'playwright.config.ts': config,
    'a.spec.ts': `
      import { test } from 'playwright-webwright';
      import { scripted, scriptedJudge } from 'playwright-webwright/testing';
      let turns = 0;
      const agent = () => { if (++turns === 2) process.kill(process.pid, 'SIGKILL'); return { playwright_code: 'return 1' }; };
      test.use({ agentModel: scripted({ agent, ...scriptedJudge({ points: ['it is bought'] }) }) });
      test('buys', async ({ agent }) => { await agent.run({ id: 'kettle', instruction: 'Buy the kettle.' }); });`,
  });
  await runProject({ folder });
  const [result] = resultsOf(folder);
  expect(result).toMatchObject({ taskId: 'kettle', outcome: 'errored', steps: 1, source: 'scripted', excluded: null });
  expect(readFileSync(join(folder, result.runFolder, 'trajectory.json'), 'utf8')).toContain('return 1');
  // Nobody was left to seal it.
  expect(result.seal).toBeNull();
  const verified = await webwright(['verify', join(folder, result.runFolder)]);
  expect(verified).toMatchObject({ code: 6, out: expect.stringContaining('agree with each other') });
});

test('listing tests leaves the results of an earlier run alone', async () => {
  const folder = makeProject({ 'playwright.config.ts': config, 'a.spec.ts': spec });
  await runProject({ folder, args: ['-g', 'kettle'] });
  await runProject({ folder, args: ['--list'] });
  expect(resultsOf(folder)).toHaveLength(1);
});

test('merged shards have the results of the whole run, and merging fails when a test failed', async () => {
  const folder = makeProject({
    'playwright.config.ts': configOf([[reporter]]),
    'blob.config.ts': configOf([['blob']]),
    'merge.config.ts': configOf([[reporter, { steps: false, throwWhenFailed: true }]]),
    'a.spec.ts': spec,
  });
  const merge = () =>
    spawnSync(
      process.execPath,
      [join(repository, 'node_modules/@playwright/test/cli.js'), 'merge-reports', '-c', 'merge.config.ts', 'reports/blob'],
      { cwd: folder, encoding: 'utf8' },
    );
  const comparable = () => resultsOf(folder).sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  await runProject({ folder });
  const whole = comparable();
  rmSync(join(folder, 'reports/benchmark'), { recursive: true });
  for (const shard of ['1/2', '2/2'])
    await runProject({
      folder,
      args: ['-c', 'blob.config.ts', `--shard=${shard}`],
      env: { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(folder, `reports/blob/${shard[0]}.zip`) },
    });
  const merged = merge();
  expect(merged.stdout + merged.stderr).toContain('webwright, replayed: 3 of 6 passed');
  expect(merged.stdout).not.toContain('step 1');
  expect(merged.status).toBe(1);
  expect(comparable()).toEqual(whole);

  await runProject({
    folder,
    args: ['-c', 'blob.config.ts', '-g', 'kettle'],
    env: { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(folder, 'reports/blob/3.zip') },
  });
  const mixed = merge();
  expect(mixed.stderr + mixed.stdout).toContain('shards of different runs');
  expect(mixed.status).toBe(1);

  rmSync(join(folder, 'reports'), { recursive: true });
  await runProject({
    folder,
    args: ['-c', 'blob.config.ts', '-g', 'kettle'],
    env: { PLAYWRIGHT_BLOB_OUTPUT_FILE: join(folder, 'reports/blob/1.zip') },
  });
  expect(merge().status).toBe(0);
  expect(resultsOf(folder)).toHaveLength(1);
});
