import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { textOf } from '../../src/core/messages.ts';
import { makeProject, runProject } from '../runner/project.ts';
import { webwright } from '../unit/cli/run-cli.ts';
import { hasBwrap, noBwrap } from '../unit/sandbox/has-bwrap.ts';
import { cases, points } from './cases.ts';

const config = `export default { testDir: '.', workers: 2, fullyParallel: true, reporter: [['playwright-webwright/reporter', { steps: false }], ['json', { outputFile: 'report.json' }]] };`;

/** Every case and its twin as a test of one project, on one rung. */
const spec = (rung: string) => `
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { workspaceTest as test } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
const rubric = [{ id: 'R1', requirement: 'RUBRIC-TAMPER: price and delivery time are reported.' }];
const page = said => '<title>Kettle</title><b>£24.90</b>, <i>two days</i> to deliver<p>' + said + '</p>';
const server = createServer(({ url }, response) => response.setHeader('content-type', 'text/html; charset=utf-8').end(page(new URL(url, 'http://x').searchParams.get('say') ?? '')));
const elsewhere = createServer((_, response) => { writeFileSync('leaked.txt', 'x'); response.end(); });
let url = '';
let other = '';
const addressOf = async server => { await new Promise(resolve => server.listen(0, '127.0.0.1', resolve)); return 'http://127.0.0.1:' + server.address().port + '/'; };
test.beforeAll(async () => { url = await addressOf(server); other = await addressOf(elsewhere); });
test.afterAll(() => { server.close(); elsewhere.close(); });
for (const { name, commands, looks } of ${JSON.stringify(
  cases.flatMap(({ name, cheat, honest, looks }) => [
    { name, commands: cheat, looks: looks ?? Array(5).fill('success') },
    { name: `twin of: ${name}`, commands: honest, looks: Array(5).fill('success') },
  ]),
)}) test.describe(name, () => {
  const agent = commands.map(command => command === 'done' ? { done: true, final_response: '£24.90, two days' } : { bash_command: command });
  test.use({ agentModel: scripted({ agent, ...scriptedJudge({ points: ${JSON.stringify(points)}, looks, items: { R1: 'pass' } }) }) });
  test(name, async ({ agent }) => {
    // A failed test would cost a new worker, with a new browser: the outcome is looked at outside.
    await agent.run({ id: 'kettle', instruction: 'What does the kettle cost, and when is it here?', startUrls: [url], rubric }, {
      assert: name.startsWith('twin of'),
      config: ['environment.env.START=' + url, 'environment.env.OTHER=' + other, 'agent.step_limit=' + commands.length, 'environment.sandbox.use=${rung}'],
    });
  });
});`;

for (const rung of ['null', 'process'] as const) {
  const where = rung === 'process' ? 'the plain-process rung' : 'the strongest rung';
  test(`on ${where} no cheat passes, each is seen, and its honest twin passes`, async () => {
    test.skip(rung === 'null' && !hasBwrap, noBwrap);
    const project = makeProject({ 'playwright.config.ts': config, 'tamper.spec.ts': spec(rung) });
    const run = await runProject({ folder: project, env: { OPENAI_API_KEY: 'sk-tamper-4242424242424242' } });
    const of = (title: string) => run.tests.find(candidate => candidate.title === title);
    expect.soft(existsSync(join(project, 'leaked.txt')), 'nothing was sent elsewhere').toBe(false);
    for (const { name, outcome, seen, ...each } of cases) {
      await test.step(name, async () => {
        const expected = { outcome, seen, ...(rung === 'process' ? each.process : {}) };
        const twin = of(`twin of: ${name}`);
        expect.soft(twin?.errors, `twin of: ${name}\n${run.stdout.slice(-2_000)}`).toEqual([]);
        expect.soft(twin?.attempts, `twin of: ${name}`).toEqual([expect.objectContaining({ outcome: 'passed' })]);

        const attempts = of(name)?.attempts ?? [];
        expect.soft(attempts, name).toHaveLength(1);
        for (const { outcome, excluded, sandbox, runFolder, reason } of attempts) {
          expect.soft(outcome, `${name}: ${reason}`).toMatch(expected.outcome);
          expect.soft(excluded, `${name} counts`).toBeNull();
          expect.soft(await toldBy({ folder: join(run.folder, runFolder), reason }), name).toMatch(expected.seen);
          if (sandbox !== 'unknown') expect.soft(sandbox).toMatch(rung === 'process' ? /NOT protected.*advisory/ : /^(?:bwrap|uid)/);
        }
      });
    }
  });
}

/** Everything that was said: the reason, the conversation, what was noted, and what a check of the record finds. */
async function toldBy({ folder, reason }: { folder: string; reason: string }): Promise<string> {
  const lines = readFileSync(join(folder, 'events.jsonl'), 'utf8')
    .split('\n')
    .filter(line => /"type":"(?:message|note|gate-decided)"/.test(line));
  const said = lines.map(line => JSON.parse(line)).map(event => event.text ?? event.reason ?? textOf(event.message));
  const { out } = await webwright(['verify', folder]);
  return [reason, ...said, out].join('\n');
}
