import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from '@playwright/test';
import { type Behaviour, findLeaks, findLeaksInText, startFaultServer } from '../../fixtures/testing.ts';
import { readEvents } from '../../src/record/event-log.ts';
import { makeProject, runProject } from '../runner/project.ts';

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

/** The page shows the key to its end: Playwright's own `error-context.md` must not hold a snapshot of it. */
const spec = ({ baseUrl, names }: { baseUrl: string; names: string[] }) => `
import { test, expect } from 'playwright-webwright';
test.use({ agentConfig: ['model_openai.yaml', 'model.base_url=${baseUrl}', 'model.api_key_env=OPENAI_API_KEY', 'judge.concurrency=1'] });
for (const name of ${JSON.stringify(names)}) test(name, async ({ agent, page }) => {
  const key = process.env.OPENAI_API_KEY;
  await page.setContent('<title>' + key + '</title><h1>The shop of ' + key + '</h1><button>Buy</button>');
  await agent.run({ id: name.replaceAll(' ', '-'), instruction: 'Buy the kettle.', rubric: [{ id: 'R1', requirement: 'It was bought.' }] });
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

const image = answer({ reasoning: 'The button.', shows: ['CP1'], score: 5 });
const verdict = answer({ thoughts: '', points: [{ id: 'CP1', status: 'met', reason: 'seen', evidence: ['e1'] }], status: 'success' });

interface Scenario {
  name: string;
  /** Used up to the last one: the scenarios share one server, and run one after the other. */
  answers: Behaviour[];
  outcome: string;
}

const scenarios: Scenario[] = [
  { name: 'the first call is refused', answers: [echo(401)], outcome: 'errored' },
  {
    name: 'the agent is refused later, after failed code and a retry',
    answers: [points, echo(500), turn(reveal), turn(fail), turn('syntax error('), turn('await x'), echo(400)],
    outcome: 'errored',
  },
  { name: 'the coach is refused', answers: [points, turn(reveal), done, echo(403)], outcome: 'errored' },
  { name: 'the grader is refused', answers: [points, turn(reveal), done, image, image, verdict, echo(403)], outcome: 'unscored' },
  {
    name: 'nothing fails but the agent',
    answers: [points, turn(reveal), turn('', { done: true, final_response: 'Blocked: the shop wants a key.' })],
    outcome: 'gave_up',
  },
];

test('a key is nowhere in what a run leaves behind, whichever layer fails and echoes it', async () => {
  const server = await startFaultServer();
  try {
    server.script(scenarios.flatMap(({ answers }) => answers));
    const names = scenarios.map(({ name }) => name);
    const folder = makeProject({ 'playwright.config.ts': config, 'canary.spec.ts': spec({ baseUrl: server.baseUrl('openai'), names }) });
    const run = await runProject({ folder, env: { OPENAI_API_KEY: canary, WEBWRIGHT_RECORD: 'record' } });
    // Each layer was really reached and really had the key.
    expect(
      run.tests.map(({ title, attempts }) => [title, attempts[0]?.outcome]),
      run.stdout,
    ).toEqual(scenarios.map(({ name, outcome }) => [name, outcome]));
    expect(server.journal).toHaveLength(scenarios.flatMap(({ answers }) => answers).length);
    expect(server.journal.every(({ keySent }) => keySent)).toBe(true);
    const mark = '[redacted:OPENAI_API_KEY]';
    for (const { attempts } of run.tests.slice(0, 3))
      expect(attempts[0]!.reason).toContain(`Incorrect API key provided: ${mark}. Sent: ${mark}`);
    for (const { attempts } of run.tests.slice(1)) {
      const messages = readEvents(join(folder, attempts[0]!.runFolder, 'events.jsonl')).filter(({ type }) => type === 'message');
      expect(JSON.stringify(messages)).toContain(`key in the environment: false ${mark}`);
    }

    const left = ['reports', 'fixtures/recordings', 'html', 'blob', 'allure-results', 'test-results', 'report.json'].map(name =>
      join(folder, name),
    );
    expect(findLeaks({ secret: canary, paths: left })).toEqual([]);
    expect(findLeaksInText({ secret: canary, text: run.stdout, where: 'terminal' })).toEqual([]);
    const sent = JSON.stringify(server.journal.map(({ body }) => body));
    expect(findLeaksInText({ secret: canary, text: sent, where: 'requests' })).toEqual([]);
  } finally {
    await server.close();
  }
});
