import { expect, test } from '@playwright/test';
import { runProject } from './project.ts';

/**
 * A site that never sells anything and counts what is posted to it, an agent that says it bought something, and a judge that believes what it
 * is shown: only what the harness opens anew can tell it better.
 */
const prelude = `
import { createServer } from 'node:http';
import { test, expect } from 'playwright-webwright';
import { scripted } from 'playwright-webwright/testing';

let posts = 0;
const server = createServer((request, response) => {
  if (request.method === 'POST') posts += 1;
  const found = request.url === '/' || request.url === '/count';
  response.writeHead(found ? 200 : 404, { 'content-type': 'text/html' });
  response.end(found ? "<title>Shop</title><h1>Your basket is empty</h1><script>fetch('/count', { method: 'POST' })</script>" : 'No such page');
});
test.beforeAll(() => new Promise(resolve => server.listen(0, '127.0.0.1', resolve)));
test.afterAll(() => new Promise(resolve => server.close(resolve)));

const text = request => request.messages.flatMap(({ content }) => (typeof content === 'string' ? [{ text: content }] : content)).flatMap(part => part.text ?? []).join('\\n');
const fresh = request => [...text(request).matchAll(/^Image (f\\d+), captured by the harness:\\n<<<(\\w+) [^]*?\\n\\2>>>/gm)].map(([block, id]) => ({ id, block }));
const judge = {
  'critical-points': () => ({ points: ['The order is placed'] }),
  coach: request => {
    if (request.key.includes('/image-')) return { reasoning: 'it says so', shows: ['CP1'], score: 5 };
    const contradicts = fresh(request).find(({ block }) => !block.includes('Order placed'));
    const [status, point] = contradicts ? ['failure', 'not-met'] : ['success', 'met'];
    return { thoughts: '', points: [{ id: 'CP1', status: point, reason: contradicts ? 'made up' : 'seen', evidence: [contradicts?.id ?? 'e1'] }], status };
  },
};
const attempt = async ({ agent, page, code }) => {
  await page.goto('http://127.0.0.1:' + server.address().port + '/');
  return agent.run({ id: 'order', instruction: 'Place the order.' }, { assert: false });
};
const done = answer => ({ done: true, final_response: answer });
const model = code => scripted({ agent: [{ playwright_code: code }, done('Order placed.'), done('Order placed, really.')], ...judge });
// The guard refuses most of this; here its author has opened what forges best.
test.use({ agentConfig: ['agent.max_looks=1', 'environment.allow=[route, init_script, content]'] });
`;

const forgeries: [string, string][] = [
  ['the page is rewritten', `await page.evaluate(() => { document.body.innerHTML = '<h1>Order placed</h1>'; })`],
  ['the content is set', `await page.setContent('<h1>Order placed</h1>')`],
  [
    'an answer of the site is made up',
    `await context.route('**/orders/1', route => route.fulfill({ contentType: 'text/html', body: '<h1>Order placed</h1>' })); await page.goto('/orders/1'.replace(/^/, new URL(page.url()).origin))`,
  ],
  [
    'a script is put into every page',
    `await context.addInitScript(() => addEventListener('DOMContentLoaded', () => { document.body.textContent = 'Order placed'; })); await page.reload()`,
  ],
  [
    'code is left behind that waits for new pages',
    `await page.setContent('<h1>Order placed</h1>'); context.on('page', each => each.waitForLoadState().then(() => each.setContent('<h1>Order placed</h1>')))`,
  ],
];

test('H14 J5 a page that the agent made up is found out by a fresh look; the honest twin passes', async () => {
  const cases = forgeries.map(
    ([name, code]) => `
test.describe(${JSON.stringify(name)}, () => {
  test.use({ agentModel: model(${JSON.stringify(code)}) });
  test('forged: ${name}', async ({ agent, page }) => {
    const run = await attempt({ agent, page });
    expect(run.evidence.some(({ label, text }) => label === 'step' && text.includes('Order placed'))).toBe(true);
    const fresh = run.evidence.filter(({ label }) => label === 'fresh');
    expect(fresh[0].id).toBe('f1');
    expect(fresh[0].text).toMatch(/basket is empty|HTTP status 404/);
    expect(run.verdict.predicted_label).toBe(0);
    expect(run.verdict.coach.points[0]).toMatchObject({ status: 'not-met', evidence: ['f1'], votes: ['not-met'] });
    expect(run.outcome).toBe('limit');
    expect(run.result.allow).toEqual(['route', 'init_script', 'content']);
  });
});`,
  );
  const run = await runProject({
    files: {
      'forged.spec.ts': `${prelude}${cases.join('\n')}`,
      'honest.spec.ts': `${prelude}
test.use({ agentModel: model("return await page.title()") });
test('honest: what reads the same is not paid for again, and nothing is posted by the harness', async ({ agent, page }) => {
  const run = await attempt({ agent, page });
  expect(run.outcome).toBe('passed');
  expect(run.evidence.filter(({ label }) => label === 'fresh').map(({ text }) => text)).toEqual(['Your basket is empty']);
  expect(run.verdict.coach.points[0].evidence).toEqual(['e1']);
  expect(page.context().pages()).toHaveLength(1);
  expect(posts).toBe(1);
});
test.describe('refused', () => {
  test.use({
    agentConfig: ['agent.max_looks=2'],
    agentModel: scripted({
      agent: [
        { playwright_code: "state.seen = 1; await page.evaluate(() => { document.body.innerHTML = '<h1>Order placed</h1>'; })" },
        done('Order placed.'),
        request => ({ playwright_code: text(request).includes('is empty now') ? "return Object.keys(state).length + ' ' + (await page.reload(), await page.title())" : "return 'not told'" }),
        done('Blocked: the shop takes no orders'),
      ],
      ...judge,
    }),
  });
  test('after a refusal the agent goes on with a new process', async ({ agent, page }) => {
    const run = await attempt({ agent, page });
    // The page is only reloaded by code that was told of the new process.
    expect(run.evidence.findLast(({ label }) => label === 'step').text).toBe('Your basket is empty');
    expect(run.exitStatus).toBe('GaveUp');
  });
});`,
    },
  });
  expect(run.tests.filter(({ status }) => status !== 'passed').map(({ title, errors }) => [title, ...errors])).toEqual([]);
  expect(run.tests).toHaveLength(forgeries.length + 2);
});
