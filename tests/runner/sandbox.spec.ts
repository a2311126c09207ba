import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { hasBwrap, noBwrap } from '../unit/sandbox/has-bwrap.ts';
import { hasUid } from '../unit/sandbox/has-uid.ts';
import { makeProject, runProject } from './project.ts';

const config = `
export default { testDir: '.', workers: 1, reporter: [['json', { outputFile: 'report.json' }], ['playwright-webwright/reporter']] };`;

const spec = `
import { test, workspaceTest, defineTasks } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
const judges = scriptedJudge({ points: ['it is done'], looks: ['success'] });
const thrice = (...turns) => [...turns, ...turns, ...turns];
const done = { done: true, final_response: 'done' };
const live = scripted({ agent: thrice({ playwright_code: 'return await page.title()' }, done), ...judges });
const shell = scripted({ agent: thrice({ bash_command: 'echo hello > hello.txt; cat hello.txt; id -u' }, done), ...judges });
const on = (...keys) => keys.map(key => 'environment.sandbox.' + key);
const noGate = 'agent.require_self_reflection_success=false';
test.describe('live', () => {
  test.use({ agentModel: live });
  for (const rung of ['bwrap', 'process']) test('live ' + rung, async ({ agent }) => {
    await agent.run({ id: 'live-' + rung, instruction: 'Do it.' }, { assert: false, config: [...on('use=' + rung), noGate] });
  });
  test('too weak', async ({ agent }) => {
    await agent.run({ id: 'too-weak', instruction: 'Do it.' }, { config: on('use=process', 'require=bwrap') });
  });
});
workspaceTest.describe('workspace', () => {
  workspaceTest.use({ agentModel: shell });
  for (const rung of ['bwrap', 'uid', 'process']) workspaceTest('workspace ' + rung, async ({ agent }) => {
    await agent.run({ id: 'workspace-' + rung, instruction: 'Do it.' }, { assert: false, config: [...on('use=' + rung), noGate] });
  });
  workspaceTest('workspace too weak', async ({ agent }) => {
    await agent.run({ id: 'workspace-too-weak', instruction: 'Do it.' }, { config: on('use=process', 'require=uid') });
  });
});`;

test('D1 D4 a lower rung is said everywhere, and one below the required fails in set-up', async () => {
  test.skip(!hasBwrap, noBwrap);
  const folder = makeProject({ 'rungs.spec.ts': spec, 'playwright.config.ts': config });
  chmodSync(folder, 0o755); // another user must be able to go through it
  const run = await runProject({ folder });
  const of = (title: string) => run.tests.find(each => each.title === title);
  const json = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;

  for (const [title, sandbox, integrity] of [
    ['live bwrap', /^bwrap [\d.]+.*no network of this machine$/, 'strong'],
    ['live process', /^process; NOT protected: .*advisory/, 'advisory'],
    ['workspace bwrap', /^bwrap/, 'strong'],
    ...(hasUid ? [['workspace uid', /^uid of its own; NOT protected/, 'strong'] as const] : []),
    ['workspace process', /^process; NOT protected/, 'advisory'],
  ] as const) {
    const attempt = of(title)?.attempts[0];
    expect(attempt, `${title}\n${run.stdout}`).toMatchObject({
      sandbox: expect.stringMatching(sandbox),
      integrity,
      steps: expect.any(Number),
    });
    const folder = join(run.folder, attempt!.runFolder);
    for (const name of ['run.json', 'verdict.json'])
      expect(json(join(folder, name)), name).toMatchObject({ sandbox: attempt!.sandbox, integrity });
  }
  for (const title of ['too weak', 'workspace too weak']) {
    expect(of(title)?.status).toBe('failed');
    expect(of(title)?.errors.join()).toMatch(/sandbox\.require=(bwrap|uid) with environment\.sandbox\.use=process[\s\S]*try: /);
    expect(of(title)?.attempts).toMatchObject([{ outcome: 'errored', steps: 0, integrity: null }]);
  }
  expect(readFileSync(join(run.folder, 'report.json'), 'utf8')).toMatch(/"type": "sandbox",\s*"description": "process; NOT protected/);
  const reports = join(run.folder, 'reports', 'benchmark');
  expect(readFileSync(join(reports, 'index.html'), 'utf8')).toContain('Verdicts are advisory: in 2 of');
  expect(readFileSync(join(reports, 'results.jsonl'), 'utf8')).toContain('"integrity":"advisory"');
  expect(run.stdout).toContain('advisory verdicts');
});
