import { expect, test } from '@playwright/test';
import { runProject } from './project.ts';

/** A page, a scripted agent and scripted judges: what each spec below changes is all it shows. */
const prelude = `
import { test, expect } from 'playwright-webwright';
import { scripted } from 'playwright-webwright/testing';
const page1 = 'data:text/html,<title>Shop</title><h1>Kettles</h1><button onclick="this.textContent=\\'Sold\\'">Buy</button>';
const judges = { 'critical-points': [{ points: ['buy it'] }], coach: request => request.key.endsWith('verdict') ? 'Status: success' : 'Reasoning: shown\\nScore: 5', grader: [] };
const agentModel = agent => scripted({ agent, ...judges });
`;

test('an honest attempt passes, and the page is usable before and after', async () => {
  const run = await runProject({
    files: {
      'a.spec.ts': `${prelude}
test.use({ agentModel: agentModel([{ playwright_code: "await page.getByRole('button').click(); return await page.getByRole('button').textContent()" }, { done: true, final_response: 'bought' }]) });
test('buy', async ({ agent, page }) => {
  await page.setContent('<title>Shop</title><h1>Kettles</h1><button onclick="this.textContent=\\'Sold\\'">Buy</button>');
  const run = await agent.run('Buy the kettle.');
  expect(run.finalResponse).toBe('bought');
  await expect(run).toPassSelfReflection();
  await expect(run).toStayWithin({ steps: 2 });
  await expect(page.getByRole('button')).toHaveText('Sold');
});`,
    },
  });
  expect(run.tests.flatMap(each => each.errors), run.stdout).toEqual([]);
  expect(run.exitCode).toBe(0);
  expect(run.tests[0]!.attempts).toEqual([expect.objectContaining({ outcome: 'passed', ungraded: true, steps: 2, looks: 1, source: 'scripted' })]);
});
