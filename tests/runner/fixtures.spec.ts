import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { type ProjectRun, runProject, type TestOutcome } from './project.ts';

/** A page, a scripted agent and scripted judges: what each test below changes is all it shows. */
const prelude = `
import { test, expect, defineTasks, workspaceTest } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
import { writeFileSync } from 'node:fs';
const shop = '<title>Shop</title><h1>Kettles</h1><button onclick="this.textContent=\\'Sold\\'">Buy</button>';
const judges = scriptedJudge({ points: ['it is bought'], looks: ['success', 'success'], items: { R1: 'pass' } });
const agentModel = (agent, other = {}) => scripted({ agent, ...judges, ...other });
const buy = { playwright_code: "await page.getByRole('button').click(); return await page.getByRole('button').textContent()" };
const done = { done: true, final_response: 'bought' };
const other = { done: true, final_response: 'bought, really' };
`;

const byTitle = (run: ProjectRun, title: string): TestOutcome => {
  const found = run.tests.find(each => each.title.startsWith(title));
  expect(found, run.stdout).toBeTruthy();
  return found!;
};

test('attempts in a test: honest ones pass, everything else is red by itself', async () => {
  const run = await runProject({
    files: {
      'honest.spec.ts': `${prelude}
test.use({ agentModel: agentModel([buy, done, { done: true, final_response: 'still sold' }]) });
test('the page is usable before, between and after', async ({ agent, page }) => {
  await page.setContent(shop);
  const run = await agent.run('Buy the kettle.');
  expect(run.finalResponse).toBe('bought');
  await expect(run).toPassSelfReflection();
  await expect(run).toStayWithin({ steps: 2 });
  await expect(page.getByRole('button')).toHaveText('Sold');
  const second = await agent.run({ id: 'second', instruction: 'Is it sold?' });
  expect(second.result.k).toBe(2);
  await expect(page.getByRole('button')).toHaveText('Sold');
});`,
      'loop.spec.ts': `${prelude}
test.use({ agentConfig: ['environment.step_timeout_seconds=2'], agentModel: agentModel([{ playwright_code: 'while(true){}' }, buy, done]) });
test('an endless loop costs one step and the deadline', async ({ agent, page }) => {
  await page.setContent(shop);
  const run = await agent.run('Buy the kettle.');
  expect(run.steps).toBe(3);
  await expect(page.getByRole('button')).toHaveText('Sold');
  const fresh = await page.context().newPage();
  expect(page.isClosed()).toBe(false);
});`,
      'idle.spec.ts': `${prelude}
test.use({ agentModel: agentModel([{}, {}, {}]) });
test('an agent that does nothing is red', async ({ agent }) => {
  await agent.run('Buy the kettle.');
});`,
      'refused.spec.ts': `${prelude}
test.use({ agentConfig: ['agent.max_looks=1'], agentModel: agentModel([done, other, done, other], scriptedJudge({ looks: ['failure', 'failure'] })) });
test('an agent whose work is refused is red', async ({ agent }) => {
  await agent.run('Buy the kettle.');
});
test('assert: false leaves the outcome to the test', async ({ agent }) => {
  const run = await agent.run('Buy the kettle.', { assert: false });
  expect(run.outcome).toBe('limit');
  expect(run.verdict.predicted_label).toBe(0);
});`,
      'timeout.spec.ts': `${prelude}
let calls = 0;
test.use({ agentModel: scripted({ ...judges, agent: async () => { calls += 1; await new Promise(resolve => setTimeout(resolve, 50)); return { playwright_code: 'return ' + calls }; } }) });
test('a test timeout ends the attempt', async ({ agent }, testInfo) => {
  const running = agent.run('Buy the kettle.');
  await Promise.resolve();
  testInfo.setTimeout(3000);
  await running;
});
test.afterAll(async () => {
  writeFileSync('after.txt', String(calls));
  await new Promise(resolve => setTimeout(resolve, 400));
  writeFileSync('later.txt', String(calls));
});`,
      'recall.spec.ts': `${prelude}
const sent = request => request.messages.map(({ content }) => typeof content === 'string' ? content : JSON.stringify(content)).join();
test.use({
  agentConfig: ['agent.summary_every_n_steps=4', 'environment.aria_mode=off'],
  agentModel: agentModel(
    [
      { playwright_code: "return 'the order number is ' + (4000 + 711)" }, { playwright_code: 'return 2' }, { playwright_code: 'return 3' }, { playwright_code: 'return 4' },
      request => ({ playwright_code: sent(request).includes('4711') ? "return 'not compacted'" : 'return (await recall(1)).match(/[0-9]{4}/)[0]' }),
      request => ({ done: true, final_response: /Returned: ([^\\n]*)/.exec(request.messages.at(-1).content)[1] }),
    ],
    { compaction: ['the order number was read in step 1'] },
  ),
});
test('what compaction dropped can be fetched again', async ({ agent, page }) => {
  await page.setContent(shop);
  const run = await agent.run('Buy the kettle.');
  expect(run.finalResponse).toBe('4711');
});`,
      'budget.spec.ts': `${prelude}
test.use({ agentConfig: ['suite_budget.tokens=10'], agentModel: agentModel([buy, done]) });
test('the budget of the run cuts an attempt', async ({ agent }) => {
  const run = await agent.run('Buy the kettle.', { assert: false });
  expect(run.outcome).toBe('skipped');
  expect(run.reason).toContain('budget');
});`,
      'file.spec.ts': `${prelude}
test.use({ agentModel: agentModel([{ playwright_code: "await Promise.all([page.waitForEvent('download'), page.getByText('Get').click()])" }, done]) });
test('a file is saved', async ({ agent, page }) => {
  await page.setContent('<a download="list.csv" href="data:text/csv,kettle,24.90">Get</a>');
  await agent.run('Save the list.', { assert: false });
});`,
      'rows.spec.ts': `${prelude}
test.use({ agentModel: agentModel([buy, done]) });
test.beforeEach(async ({ page }) => page.setContent(shop));
defineTasks([{ id: 'row-1', instruction: 'Buy the kettle.', level: 'easy', tags: ['shop'], rubric: [{ id: 'R1', requirement: 'it is bought' }], checks: [
  { id: 'C1', kind: 'page-text', requirement: 'the button says so', selector: 'button', equals: 'Sold' },
  { id: 'C2', kind: 'answer-includes', requirement: 'the price is told', text: '£24.90' },
] }]);`,
    },
  });

  const honest = byTitle(run, 'the page is usable');
  expect(honest.errors).toEqual([]);
  expect(honest.attempts).toEqual([
    expect.objectContaining({ outcome: 'passed', ungraded: true, steps: 2, looks: 1, source: 'scripted', k: 1 }),
    expect.objectContaining({ taskId: 'second', outcome: 'passed', k: 2 }),
  ]);
  expect(honest.attachments.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['thought and code', 'screenshot', 'trajectory', 'verdict', 'script']),
  );

  const saved = byTitle(run, 'a file is saved').attachments.find(({ name }) => name === 'd1 list.csv');
  expect(saved?.contentType).toBe('text/plain');
  expect(Buffer.from(saved?.body ?? '', 'base64').toString()).toBe('kettle,24.90');

  expect(byTitle(run, 'what compaction dropped').errors).toEqual([]);
  const cut = byTitle(run, 'the budget of the run');
  expect(cut.attempts).toEqual([expect.objectContaining({ outcome: 'skipped', excluded: expect.stringContaining('budget'), steps: 0 })]);
  expect(byTitle(run, 'an endless loop').errors).toEqual([]);
  expect(byTitle(run, 'an agent that does nothing')).toMatchObject({
    status: 'failed',
    errors: [expect.stringContaining('limit: limit reached: stalled')],
  });
  expect(byTitle(run, 'an agent whose work is refused')).toMatchObject({
    status: 'failed',
    errors: [expect.stringContaining('reflections')],
  });
  expect(byTitle(run, 'assert: false').errors).toEqual([]);

  const timedOut = byTitle(run, 'a test timeout');
  expect(timedOut).toMatchObject({ status: 'timedOut', attempts: [expect.objectContaining({ outcome: 'errored' })] });
  const calls = (name: string) => (existsSync(join(run.folder, name)) ? readFileSync(join(run.folder, name), 'utf8') : 'missing');
  expect(calls('later.txt')).toBe(calls('after.txt'));

  const row = byTitle(run, 'row-1');
  expect(row.status).toBe('failed');
  expect(row.errors.join('\n')).toContain('check C2: the price is told (fail');
  expect(row.errors.join('\n')).not.toContain('C1');
  expect(row.attempts).toEqual([
    expect.objectContaining({
      outcome: 'failed',
      level: 'easy',
      items: expect.arrayContaining([expect.objectContaining({ id: 'R1', status: 'pass' })]),
    }),
  ]);
});

test('bad input: each is one short error that names the thing and the remedy, before anything is spent', async () => {
  const spec = (use: string, body: string) => `${prelude}\ntest.use(${use});\ntest('it', async ({ agent }) => { ${body} });`;
  const never = 'agentModel: agentModel([])';
  const run = await runProject({
    files: {
      'key.spec.ts': spec(`{ agentConfig: ['agent.step_limt=3'], ${never} }`, "await agent.run('x')").replace(
        "'it'",
        "'unknown config key'",
      ),
      'tuple.spec.ts': spec(`{ agentConfig: ['base.yaml', 5], ${never} }`, "await agent.run('x')").replace(
        "'it'",
        "'config of other things than strings'",
      ),
      'missing.spec.ts': spec("{ agentConfig: ['model_openai.yaml'] }", "await agent.run('x')").replace("'it'", "'missing key'"),
      'endpoint.spec.ts': spec(
        "{ agentConfig: ['model_openai.yaml', 'model.base_url=http://127.0.0.1:9/v1', 'model.total_timeout_seconds=2'] }",
        "await agent.run('x')",
      ).replace("'it'", "'unreachable endpoint'"),
      'instruction.spec.ts': spec(`{ ${never} }`, "await agent.run({ id: 'a', instruction: '' })").replace("'it'", "'no instruction'"),
      'check.spec.ts': spec(
        `{ ${never} }`,
        "await agent.run({ id: 'a', instruction: 'x', checks: [{ id: 'C', kind: 'page-txt' }] })",
      ).replace("'it'", "'unknown check'"),
      'refuses.spec.ts': spec(`{ ${never} }`, "await agent.run({ id: 'a', instruction: 'x', startUrls: ['http://127.0.0.1:9/'] })").replace(
        "'it'",
        "'start URL refuses'",
      ),
      'resolves.spec.ts': spec(
        `{ ${never} }`,
        "await agent.run({ id: 'a', instruction: 'x', startUrls: ['http://no-such-host.invalid/'] })",
      ).replace("'it'", "'start URL does not resolve'"),
      'firefox.spec.ts': `${prelude}\ntest.use({ browserName: 'firefox' });\ntest('other engine', async ({ agent }) => {});`,
    },
    env: { OPENAI_API_KEY: undefined },
  });
  const error = (title: string) => {
    const { errors } = byTitle(run, title);
    expect(errors, run.stdout).toHaveLength(1);
    expect(errors[0]!.split('\n').length).toBeLessThan(12);
    expect(errors[0]).not.toMatch(/^\s+at /m);
    return errors[0]!;
  };
  expect(error('unknown config key')).toMatch(/step_limt[\s\S]*step_limit/);
  expect(error('config of other things')).toContain('strings only');
  expect(error('missing key')).toMatch(/key[\s\S]*OPENAI_API_KEY/);
  expect(error('unreachable endpoint')).toMatch(/127\.0\.0\.1:9/);
  expect(error('no instruction')).toContain('instruction');
  expect(error('unknown check')).toMatch(/page-txt[\s\S]*page-text/);
  expect(error('start URL refuses')).toMatch(/http:\/\/127\.0\.0\.1:9\//);
  expect(error('start URL does not resolve')).toContain('no-such-host.invalid');
  expect(error('other engine')).toMatch(/Chromium[\s\S]*firefox/);
});
