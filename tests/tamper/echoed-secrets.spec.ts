import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { findLeaks, findLeaksInText } from '../../fixtures/testing.ts';
import { makeProject, runProject } from '../runner/project.ts';

const password = 'hunter2-correct-horse';
const key = 'sk-harness-only-9191919191';

/** A login page that shows what was typed; the script types the task's password, and the shell prints its whole environment. */
const spec = `
import { createServer } from 'node:http';
import { workspaceTest as test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
import { writeFileSync } from 'node:fs';
const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(
  '<title>Login</title><input type="password" aria-label="Password" oninput="out.textContent = document.title = this.value"><p id="out"></p>'));
let url = '';
test.beforeAll(async () => { await new Promise(resolve => server.listen(0, '127.0.0.1', resolve)); url = 'http://127.0.0.1:' + server.address().port + '/'; });
test.afterAll(() => server.close());
const script = \`import { answer, open, shot, step } from 'playwright-webwright/script';
const { page } = await open(process.env.START);
await page.getByLabel('Password').fill(process.env.SHOP_PASSWORD);
step('CP1 logged in as ' + await page.locator('#out').textContent());
await shot('CP1 logged in');
answer('logged in with ' + await page.title());\`;
const plan = '# Critical Points\\n- [ ] CP1: logged in\\n';
const prompts = [];
test.use({ agentModel: scripted({
  agent: [
    () => ({ bash_command: "printf '%s' \\"$PLAN\\" > plan.md; cat > final_script.mjs <<'JS'\\n" + script + "\\nJS\\nnode final_script.mjs; env" }),
    request => { prompts.push(...request.messages); writeFileSync('prompts.json', JSON.stringify(prompts)); return { done: true, final_response: 'logged in' }; },
  ],
  ...scriptedJudge({ points: ['logged in'], looks: ['success'] }),
}) });
test('login', async ({ agent }) => {
  await agent.run({ id: 'login', instruction: 'Log in.', startUrls: [url] },
    { config: ['environment.env.START=' + url, 'environment.env.PLAN=' + JSON.stringify(plan), 'environment.env.SHOP_PASSWORD=${password}'] });
});`;

test('H6 a page that echoes the password and a shell that prints its environment give neither away', async () => {
  const folder = makeProject({ 'login.spec.ts': spec });
  const run = await runProject({ folder, env: { OPENAI_API_KEY: key } });
  expect(run.tests[0]?.errors, run.stdout).toEqual([]);
  const prompts = readFileSync(join(folder, 'prompts.json'), 'utf8');
  expect(prompts).toContain('SHOP_PASSWORD=[redacted:environment.env.SHOP_PASSWORD]');
  expect(prompts).not.toContain('OPENAI_API_KEY');
  for (const secret of [password, key]) {
    expect(findLeaksInText({ secret, text: prompts, where: 'prompts' })).toEqual([]);
    expect(findLeaksInText({ secret, text: run.stdout, where: 'terminal' })).toEqual([]);
  }
  const runFolder = join(folder, run.tests[0]!.attempts[0]!.runFolder);
  const kept = ['run.json', 'events.jsonl', 'trajectory.json', 'verdict.json', 'config_snapshot', 'debug', 'evidence', 'workspace/logs'];
  for (const secret of [password, key]) {
    expect(findLeaks({ secret, paths: [...kept.map(name => join(runFolder, name)), join(folder, 'report.json')] })).toEqual([]);
  }
  expect(readFileSync(join(runFolder, 'evidence', 'index.jsonl'), 'utf8')).toContain('[redacted:environment.env.SHOP_PASSWORD]');
});
