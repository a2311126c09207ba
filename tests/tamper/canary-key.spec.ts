import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { type Behaviour, findLeaks, findLeaksInText, startFaultServer } from '../../fixtures/testing.ts';
import { readEvents } from '../../src/record/event-log.ts';
import { makeProject, type ProjectRun, runProject } from '../runner/project.ts';

const canary = 'sk-canary/+>>>??~~~-4242424242';

const config = `
export default {
  testDir: '.',
  workers: 1,
  reporter: [
    ['list'],
    ['json', { outputFile: 'report.json' }],
    ['html', { open: 'never', outputFolder: 'html' }],
    ['blob', { outputDir: 'blob' }],
    [${JSON.stringify(fileURLToPath(import.meta.resolve('allure-playwright')))}, { resultsDir: 'allure-results' }],
    ['playwright-webwright/reporter'],
  ],
};
`;

/** The page shows the key, and so does the error of the test's own body. */
const spec = (baseUrl: string) => `
import { test, expect } from 'playwright-webwright';
test.use({ agentConfig: ['model_openai.yaml', 'model.base_url=${baseUrl}', 'agent.max_looks=1'] });
test('canary', async ({ agent, page }) => {
  await page.setContent('<title>' + process.env.OPENAI_API_KEY + '</title><h1>The shop of ' + process.env.OPENAI_API_KEY + '</h1><button>Buy</button>');
  await agent.run({ id: 'canary', instruction: 'Buy the kettle.', rubric: [{ id: 'R1', requirement: 'It was bought.' }] });
});
`;

const answer = (value: unknown): Behaviour => ({ kind: 'answer', text: JSON.stringify(value) });
const turn = (code: string, more = {}) => answer({ thought: '', playwright_code: code, done: false, final_response: '', ...more });
const echo = (status: number): Behaviour => ({ kind: 'status', status, message: 'Incorrect API key provided: {key}. Sent: {key}' });

const points = answer({ points: ['The kettle was bought.'] });
/** Reads the key off the page and shows it in every way it can. */
const reveal = `
  const key = await page.title();
  console.log(key, JSON.stringify({ key }), encodeURIComponent(key));
  console.error(Buffer.from(key).toString('hex'));
  for (const before of ['', 'x', 'xy']) console.log(Buffer.from(before + key).toString('base64'), Buffer.from(before + key).toString('base64url'));
  const inEnvironment = Object.values(process.env).some(value => value.includes('sk-' + 'canary'));
  await page.evaluate(shown => { document.body.append([...shown].reverse().join('')); console.warn(shown); }, key);
  return 'key in the environment: ' + inEnvironment + ' ' + key;`;
const fail = `throw new TypeError('cannot use ' + await page.title())`;
const done = turn('', { done: true, final_response: 'Bought with ' });

/** Everything a run leaves behind, and what it said on the terminal. */
function leaksOf(run: ProjectRun) {
  const left = ['reports', 'html', 'blob', 'allure-results', 'test-results', 'report.json', 'fixtures']
    .map(name => join(run.folder, name))
    .filter(existsSync);
  expect(left.length).toBeGreaterThanOrEqual(5);
  return [...findLeaks({ secret: canary, paths: left }), ...findLeaksInText({ secret: canary, text: run.stdout, where: 'terminal' })];
}

const failing: [string, Behaviour[]][] = [
  ['the first call is refused', [echo(401)]],
  [
    'the agent is refused after it has acted, its code and a retry having failed before',
    [points, echo(500), turn(reveal), turn(fail), turn('syntax error('), turn('await x'), echo(400)],
  ],
  ['the coach is refused', [points, turn(reveal), done, echo(403)]],
  [
    'the grader is refused',
    [points, turn(reveal), done, answer({ reasoning: '', shows: ['CP1'], score: 5 }), answer({ reasoning: '', shows: ['CP1'], score: 5 })],
  ],
];

for (const [name, behaviours] of failing) {
  test(`no key anywhere when ${name}`, async () => {
    const server = await startFaultServer();
    try {
      server.script(behaviours, echo(401));
      const folder = makeProject({ 'playwright.config.ts': config, 'canary.spec.ts': spec(server.baseUrl('openai')) });
      const run = await runProject({ folder, env: { OPENAI_API_KEY: canary, WEBWRIGHT_RECORD: 'record' } });
      expect(run.exitCode, run.stdout).toBe(1);
      expect(run.stdout).toContain('[redacted:OPENAI_API_KEY]');
      expect(server.journal.every(({ keySent }) => keySent)).toBe(true);
      expect(server.journal.length, run.stdout).toBeGreaterThanOrEqual(behaviours.length);
      expect(leaksOf(run)).toEqual([]);
      if (behaviours.length > 1) {
        const events = join(folder, run.tests[0]!.attempts[0]!.runFolder, 'events.jsonl');
        const shown = readEvents(events).flatMap(event => (event.type === 'message' ? JSON.stringify(event.message.content) : []));
        expect(shown.join()).toContain('key in the environment: false');
        // What the model was sent is clean as well.
        expect(
          findLeaksInText({ secret: canary, text: JSON.stringify(server.journal.map(({ body }) => body)), where: 'requests' }),
        ).toEqual([]);
        expect(readFileSync(events, 'utf8')).toContain('[redacted:OPENAI_API_KEY]');
      }
    } finally {
      await server.close();
    }
  });
}
