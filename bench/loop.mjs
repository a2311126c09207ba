/**
 * `npm run bench:loop`: what the context of a 60-step attempt costs in input tokens, for three schemes over the same scripted run whose
 * observations have 12,000 characters: URL and title, 6,000 characters that the code printed (agents of this kind print what they look for:
 * webwright.md D9), and the page view:
 * - ours: the view that the product computes from the record, with the settings of `local_browser.yaml`;
 * - workspace: Webwright's workspace scheme: the full history, replaced by system + summary every 20 steps (webwright.md §1.9);
 * - live: Webwright's live scheme: assistant turns are thoughts only, the page view of all but the last observation is pruned in place at
 *   each step while URL, title and printed output stay (§1.10), and the same summary every 20 steps.
 * Cost-equivalent tokens: 1.25 for what is new, 0.1 for the longest common prefix with the request before (prompt caching prices).
 * Tokens are o200k. Every scheme shows the last observation in full.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { createCompaction } from '../dist/src/agent/compaction.js';
import { prunableOf } from '../dist/src/agent/prunable.js';
import { contextView } from '../dist/src/agent/view.js';
import { loadConfig } from '../dist/src/config/load.js';
import { findPackageRoot } from '../dist/src/config/package-root.js';
import { textOf } from '../dist/src/core/messages.js';
import { scripted } from '../dist/src/models/scripted.js';
import { EventLog } from '../dist/src/record/event-log.js';
import { median, report } from './report.mjs';

const steps = 60;
const packageRoot = findPackageRoot(import.meta.url);
const { config } = loadConfig({ specs: ['local_browser.yaml'], cwd: packageRoot, packageRoot, env: {} });
const system = config.agent.system_template;
const task =
  'Find the cheapest blue electric kettle that holds at least 1.5 litres and is in stock, order one of it, and tell me its name, the order number and the total. '.repeat(
    2,
  );
const summary =
  'The goal and its constraints; which points are proven; addresses, selectors and values read so far; what comes next. '.repeat(20);
const summaryPrompt = config.agent.summary_prompt;

const names = ['Skerry', 'Brook', 'Tarn', 'Cairn', 'Fell', 'Beck', 'Moor'];
const colours = ['blue', 'cream', 'green', 'steel', 'red'];

/** One turn of the run; texts differ from step to step as those of different pages do. */
function turnOf(step) {
  const rows = (from, length) =>
    Array.from({ length: 200 }, (_, i) => {
      const n = (i + from) * 7919 + step * 104729;
      return `- listitem: ${names[n % names.length]} Kettle ${n % 97}, ${colours[n % colours.length]}, ${(n % 20) / 10} litres, £${20 + (n % 40)}.90, ${n % 3 ? 'in stock' : 'sold out'}`;
    })
      .join('\n')
      .slice(0, length);
  const thought =
    `The list of page ${step} shows what I need to compare; next I open the page after it and read names, prices and stock. `.repeat(2);
  const code = `await page.getByRole('link', { name: 'Page ${step + 1}' }).click();\nconst cards = page.getByRole('listitem');\nreturn await cards.evaluateAll(all => all.map(card => card.textContent));`;
  const head = `Step ${step}: ok.\nURL: http://shop.localhost/products?page=${step}\nTitle: Products, page ${step}\n`;
  const output = rows(0, 6_000);
  const page = rows(500, 12_000 - head.length - output.length - 15);
  return { thought, code, head, output, page, text: `${head}Output: ${output}\nPage:\n${page}` };
}

/** Requests of our scheme: the record and the view of the product itself. */
async function ours() {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-bench-'));
  const path = join(folder, 'events.jsonl');
  const log = new EventLog({ path, now: () => new Date(0) });
  const say = (step, role, content, extra = {}) => log.append({ type: 'message', step, message: { role, content, extra } });
  const view = () => contextView(log.events, { keepLastObservations: config.agent.keep_last_n_observations });
  const compact = createCompaction({
    everySteps: config.agent.summary_every_n_steps,
    atTokens: 0,
    prompt: summaryPrompt,
    reread: step => `await recall(${step})`,
    plan: async () => null,
  });
  const requests = [];
  const model = scripted({
    compaction: request => {
      requests.push(request.messages.map(textOf));
      return summary;
    },
  });
  const viewMs = [];
  const bytes = [];
  say(0, 'system', system);
  say(0, 'user', task);
  for (let step = 1; step <= steps; step += 1) {
    const start = performance.now();
    const messages = view();
    viewMs.push(performance.now() - start);
    requests.push(messages.map(textOf));
    const turn = turnOf(step);
    say(step, 'assistant', JSON.stringify({ thought: turn.thought, playwright_code: turn.code, done: false, final_response: '' }));
    log.append({ type: 'action-started', step, code: turn.code });
    const fields = { output: turn.output, prunable: [turn.page] };
    say(step, 'user', turn.text, { observation: {}, prunable: prunableOf(fields) });
    await compact({ step, inputTokens: 0, model, log, view, signal: new AbortController().signal });
    bytes.push(statSync(path).size);
  }
  log.close();
  rmSync(folder, { recursive: true });
  return { requests, viewMs, bytes };
}

/** Requests of Webwright's two schemes. `prune`: the live scheme. */
function webwright({ prune }) {
  const requests = [];
  let history = [task];
  for (let step = 1; step <= steps; step += 1) {
    requests.push([system, ...history]);
    const turn = turnOf(step);
    if (prune) history = history.map(text => text.replace(/Page:\n[\s\S]*$/, 'Page:\n[pruned]'));
    history.push(turn.thought, turn.text);
    if (step % 20 === 0) {
      requests.push([system, ...history, summaryPrompt]);
      history = [`Summary at step ${step}:\n${summary}`];
    }
  }
  return requests;
}

/** Bytes of a record of `count` steps, per step. */
function bytesPerStep(count) {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-bench-'));
  const path = join(folder, 'events.jsonl');
  const log = new EventLog({ path, now: () => new Date(0) });
  for (let step = 1; step <= count; step += 1) {
    const turn = turnOf(step);
    log.append({ type: 'message', step, message: { role: 'assistant', content: turn.code, extra: {} } });
    log.append({ type: 'message', step, message: { role: 'user', content: turn.text, extra: { observation: {} } } });
  }
  log.close();
  const { size } = statSync(path);
  rmSync(folder, { recursive: true });
  return size / count;
}

function costOf(requests) {
  let before = [];
  let total = 0;
  let equivalent = 0;
  for (const messages of requests) {
    const tokens = messages.flatMap(text => [...encode(text), -1]);
    let shared = 0;
    while (shared < before.length && shared < tokens.length && before[shared] === tokens[shared]) shared += 1;
    total += tokens.length;
    equivalent += 1.25 * (tokens.length - shared) + 0.1 * shared;
    before = tokens;
  }
  return { total, equivalent: Math.round(equivalent) };
}

const own = await ours();
for (const [index, messages] of own.requests.entries()) {
  const step = index - [...Array(index)].filter((_, i) => own.requests[i].at(-1) === summaryPrompt).length;
  if (messages.at(-1) !== summaryPrompt && step > 0 && messages.at(-1) !== turnOf(step).text)
    throw new Error(`request ${index}: the last observation is not whole`);
}
const costs = { ours: costOf(own.requests), workspace: costOf(webwright({ prune: false })), live: costOf(webwright({ prune: true })) };
const better = key => Math.min(costs.workspace[key], costs.live[key]);
const round = value => Number(value.toFixed(3));

report({
  bench: 'loop',
  metrics: {
    costEquivalentRatio: round(costs.ours.equivalent / better('equivalent')),
    totalRatio: round(costs.ours.total / better('total')),
    viewMs: round(median(own.viewMs)),
    recordBytesRatio: round(bytesPerStep(1_000) / bytesPerStep(10)),
    ...Object.fromEntries(
      Object.entries(costs).flatMap(([name, cost]) => [
        [`${name}Total`, cost.total],
        [`${name}CostEquivalent`, cost.equivalent],
      ]),
    ),
  },
  targets: { costEquivalentRatio: { max: 0.85 }, totalRatio: { max: 1 }, viewMs: { max: 5 }, recordBytesRatio: { max: 1.1 } },
  lines: [
    `${steps} steps, observations of 12,000 characters          total    cost-equivalent`,
    ...Object.entries(costs).map(
      ([name, { total, equivalent }]) => `${name.padEnd(46)} ${String(total).padStart(10)} ${String(equivalent).padStart(18)}`,
    ),
  ],
});
