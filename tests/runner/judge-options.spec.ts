import { expect, test } from '@playwright/test';
import { runProject } from './project.ts';

const spec = `
import { test, expect } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
const judge = scriptedJudge({ points: ['it is read'], looks: ['success'] });
const done = { done: true, final_response: '2 orders' };
const rubric = [{ id: 'R1', requirement: 'The page is open' }];
test.beforeEach(({ page }) => page.setContent('<title>Shop</title><h1>2 orders</h1>'));

test.describe('image-qa', () => {
  const model = scripted({
    ...judge,
    'image-qa': [{ answer: 'two', evidence: ['the heading'], unknown: false, confidence: 0.9 }, 'nonsense', 'nonsense', 'nonsense'],
    agent: [{ playwright_code: "const seen = await imageQa('How many orders?'); const lost = await imageQa('And why?'); return [seen.answer, lost.unknown, await imageQa(' ').catch(String)]" }, done],
  });
  test.use({ agentModel: model });
  test('image-qa', async ({ agent }) => {
    const run = await agent.run('Count the orders.');
    const asked = model.requests.find(({ role }) => role === 'image-qa');
    expect(JSON.stringify(asked.messages)).toContain('How many orders?');
    const told = JSON.stringify(model.requests.filter(({ role }) => role === 'agent')[1].messages).replaceAll('\\\\', '');
    expect(told).toMatch(/two[^a-z]+true[^a-z]+Error: imageQa\\(\\): it takes a question/);
    expect(run.result.roles.find(({ role }) => role === 'image-qa').calls).toBe(4);
  });
});

test.describe('webjudge', () => {
  test.use({ agentModel: scripted({ ...judge, agent: [{ playwright_code: "return 1" }, done], grader: [{ thoughts: 'seen', status: 'success' }] }) });
  test('webjudge', async ({ agent }) => {
    const run = await agent.run({ id: 'orders', instruction: 'Count the orders.', config: ['judge.grader=webjudge'] }, { assert: false });
    expect(run.verdict.grader).toMatchObject({ protocol: 'webjudge (own prompts, not leaderboard-comparable)', items: [{ id: 'webjudge' }] });
  });
});

test.describe('scorer prompt', () => {
  const model = scripted([done]);
  test.use({ agentModel: model });
  test.afterEach(() => expect(model.requests).toEqual([]));
  test('missing', async ({ agent }) => {
    await agent.run({ id: 'orders', instruction: 'Count.', rubric, config: ['judge.grader=odysseys-protocol', 'judge.scorer_prompt=./nowhere.txt'] });
  });
  test('empty', async ({ agent }) => {
    await agent.run({ id: 'orders', instruction: 'Count.', rubric, config: ['judge.grader=odysseys-protocol', 'judge.scorer_prompt=./empty.txt'] });
  });
  test('of another grader', async ({ agent }) => {
    await agent.run({ id: 'orders', instruction: 'Count.', rubric, config: ['judge.scorer_prompt=./empty.txt'] });
  });
});`;

test('what a task asks of its judges: pictures by question, another grader, and a scorer prompt that is refused before anything is spent', async () => {
  const { tests, stdout } = await runProject({ files: { 'it.spec.ts': spec, 'empty.txt': ' \n' } });
  const errors = (title: string) => tests.find(each => each.title === title)!.errors.join('\n');
  expect(errors('image-qa'), stdout).toBe('');
  expect(errors('webjudge')).toBe('');
  expect(errors('missing')).toContain('The scorer prompt cannot be read');
  expect(errors('missing')).toContain('./nowhere.txt (ENOENT)');
  expect(errors('empty')).toContain('The scorer prompt is empty');
  expect(errors('of another grader')).toContain('A scorer prompt is for the grader odysseys-protocol');
  for (const title of ['missing', 'empty', 'of another grader']) expect(errors(title)).not.toContain('toEqual');
});
