import { expect, test } from '@playwright/test';
import { runProject } from './project.ts';

const prelude = `
import { test, expect } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
const model = looks => scripted({
  agent: [{ playwright_code: "return await page.title()" }, { done: true, final_response: 'bought' }],
  ...scriptedJudge({ points: ['it is bought'], looks }),
});
test.use({ agentConfig: ['agent.require_self_reflection_success=false'] });
test.beforeEach(({ page }) => page.setContent('<title>Shop</title><h1>Sold</h1>'));
`;

test('with the gate off an answer is a claim, and toPassSelfReflection has the coach asked once, after the run', async () => {
  const run = await runProject({
    files: {
      'claimed.spec.ts': `${prelude}
test.describe('asked', () => {
  test.use({ agentModel: model(['success']) });
  test('asked', async ({ agent }) => {
    const run = await agent.run('Buy the kettle.');
    expect(run.outcome).toBe('unscored');
    expect(run.reason).toContain('claimed');
    expect(run.verdict.coach).toBeNull();
    const before = run.result.roles.length;
    await expect(run).toPassSelfReflection();
    await expect(run).toPassSelfReflection();
    expect(run.outcome).toBe('passed');
    expect(run.result.roles.find(({ role }) => role === 'coach').calls).toBe(2);
    expect(before).toBeLessThan(run.result.roles.length);
  });
});
test.describe('refused', () => {
  test.use({ agentModel: model(['failure']) });
  test('refused', async ({ agent }) => {
    const run = await agent.run('Buy the kettle.', { assert: false });
    await expect(run).not.toPassSelfReflection();
    expect(run.outcome).toBe('failed');
  });
});
test.describe('never asked', () => {
  test.use({ agentModel: model(['success']) });
  test('never asked', async ({ agent }) => {
    await agent.run('Buy the kettle.');
  });
});
`,
    },
  });
  const of = (title: string) => run.tests.find(each => each.title === title)!;
  expect(of('asked').errors, run.stdout).toEqual([]);
  expect(of('refused').errors).toEqual([]);
  // What reports are handed is what the test made of it; one attempt each.
  expect(of('asked').attempts).toMatchObject([{ outcome: 'passed', predicted_label: 1, gate: 'off' }]);
  expect(of('refused').attempts).toMatchObject([{ outcome: 'failed', predicted_label: 0 }]);
  expect(of('never asked')).toMatchObject({ status: 'failed', attempts: [{ outcome: 'unscored', predicted_label: null }] });
});
