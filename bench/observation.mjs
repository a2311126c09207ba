/**
 * `npm run bench:observation`: what one look at a page costs, ours against Playwright's own snapshots of the same page in the same run: tokens
 * (o200k) and milliseconds, medians of 20. Pages (reference: peers.md §5.1): D a sign-in form, A a shop with 151 controls, B and C the same
 * with a table of 200 and 2,000 rows. Then the page part of the observation after a step that changed one text, and questions about what
 * the view of page C has folded away, each answered by one short step of code. `--json` prints the numbers, `--rounds N` sets the rounds.
 */
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { observe } from '../dist/fixtures/observe.js';
import { openLive, setUp } from './live-set-up.mjs';
import { median, report } from './report.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, json: { type: 'boolean', default: false } } });
const rounds = Number(values.rounds);
const tokens = text => encode(text).length;

const looks = {
  observe: async page => (await observe(page)).view,
  ariaSnapshot: page => page.locator('body').ariaSnapshot(),
  'mode ai': page => page.ariaSnapshot({ mode: 'ai' }),
};

/** Asked about page C; the view says which selector matches the rows, which columns there are, and which values they have. */
const questions = [
  [
    'row 1777',
    "return await page.getByRole('row', { name: /^1777 / }).innerText()",
    /^1777\t2026-10-22\tCustomer Chen 778\tPending\t\$9725\.00\tLagos$/,
  ],
  ['number of paid orders', "return await page.locator('tbody tr').filter({ hasText: 'Paid' }).count()", /^500$/],
  [
    'sum of paid orders',
    "return (await page.locator('tbody tr').filter({ hasText: 'Paid' }).allInnerTexts()).reduce((sum, row) => sum + Number(row.split('\\t')[4].slice(1)), 0)",
    /^6243750$/,
  ],
  ['the last order from Osaka', "return await page.locator('tbody tr').filter({ hasText: 'Osaka' }).last().innerText()", /^2999\t/],
  ['the button "Save product 24"', "await page.getByRole('button', { name: 'Save product 24' }).click(); return 'clicked'", /^clicked$/],
];

const { browser, root, urlOf, close } = await setUp();
const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
const metrics = { rounds };
const table = [];
for (const name of ['D', 'A', 'B', 'C']) {
  await page.goto(urlOf(name));
  for (const [look, take] of Object.entries(looks)) {
    const times = [];
    let text = await take(page);
    for (let round = 0; round < rounds; round += 1) {
      const start = performance.now();
      text = await take(page);
      times.push(performance.now() - start);
    }
    const row = { page: name, look, tokens: tokens(text), ms: Number(median(times).toFixed(1)) };
    table.push(row);
    if (look === 'observe') Object.assign(metrics, { [`${name}Tokens`]: row.tokens, [`${name}Ms`]: row.ms });
    else metrics[`${name}${look === 'mode ai' ? 'Ai' : 'Aria'}Ratio`] = Number((metrics[`${name}Tokens`] / row.tokens).toFixed(3));
  }
}
await page.context().close();

const changes = [];
for (const name of ['A', 'B', 'C']) {
  const live = await openLive({ browser, root, startUrl: urlOf(name) });
  const seen = await live.run("await page.getByRole('button', { name: 'Add to cart' }).first().click()");
  changes.push({ name, tokens: tokens(seen.fields.aria) });
  await live.close();
}
metrics.changeTokens = Math.max(...changes.map(change => change.tokens));

const live = await openLive({ browser, root, startUrl: urlOf('C') });
const answers = [];
for (const [question, code, expected] of questions) {
  const start = performance.now();
  const { fields } = await live.run(code);
  answers.push({
    question,
    codeTokens: tokens(code),
    ms: performance.now() - start,
    answer: fields.return_value,
    right: expected.test(fields.return_value),
  });
}
await live.close();
await close();
metrics.wrongAnswers = answers.filter(({ right }) => !right).length;

report({
  bench: 'observation',
  metrics,
  targets: {
    DTokens: { max: 60 },
    ATokens: { max: 1_100 },
    BTokens: { max: 1_220 },
    CTokens: { max: 1_250 },
    CMs: { max: 50 },
    changeTokens: { max: 70 },
    wrongAnswers: { max: 0 },
  },
  lines: [
    `medians of ${rounds}      tokens        ms`,
    ...table.map(row => `${row.page} ${row.look.padEnd(14)} ${String(row.tokens).padStart(8)} ${row.ms.toFixed(1).padStart(9)}`),
    '',
    ...changes.map(change => `${change.name} after one change: ${change.tokens} tokens`),
    '',
    'questions about page C, one step each               code tokens   step ms',
    ...answers.map(
      ({ question, codeTokens, ms, answer, right }) =>
        `${question.padEnd(32)} ${String(codeTokens).padStart(30)} ${ms.toFixed(0).padStart(9)}   ${right ? '' : 'WRONG: '}${answer.replaceAll('\t', ' ').slice(0, 60)}`,
    ),
  ],
});
