/**
 * `npm run bench:overhead`: what an attempt in live mode costs beside the work itself. In the real runner with all reporters, in one worker and
 * in turns: scripted attempts of 40 steps, and plain tests that make the same page calls, then call `observe(page)` and take the same screenshot,
 * on pages A and B (peers.md §5.1). Steps are compared; `WholeMs` is an attempt with its set-up, judging and record. Then: a runner that is ready
 * for code against `node -e "import('playwright-core')"`, the first step after a runner was killed, and the round trip of a step that does nothing,
 * without an observation. All behind the guard and in the best box of this machine. Medians; `--json` prints the numbers, `--rounds N` sets the rounds (20).
 */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { performance } from 'node:perf_hooks';
import { pathToFileURL } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { openGuardedEndpoint } from '../dist/src/environments/guarded-endpoint.js';
import { startChild } from '../dist/src/environments/live/child.js';
import { compileStep } from '../dist/src/environments/live/compile.js';
import { openLiveBox } from '../dist/src/environments/live/live-box.js';
import { createRunner } from '../dist/src/environments/live/runner.js';
import { runAttempts } from './attempts.mjs';
import { setUp } from './live-set-up.mjs';
import { median, report } from './report.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, json: { type: 'boolean', default: false } } });
const rounds = Number(values.rounds);
const steps = 40;
const timed = async action => {
  const start = performance.now();
  await action();
  return performance.now() - start;
};

/** The calls of step `index`, the same in both: clicks, fills, a choice, a look at a text. */
const actions = [
  async ({ page }) => page.getByRole('button', { name: 'Add to cart' }).nth(1).click(),
  async ({ page }) => page.getByLabel('Field Email').fill('ada@example.org'),
  async ({ page }) => page.getByLabel('Sort by').selectOption('Option 1.3'),
  async ({ page }) => page.getByLabel('Filter 2').check(),
  async ({ page }) => page.locator('#cart').innerText(),
];
const { browser, urlOf, close } = await setUp();

const metrics = { rounds, steps };
const urls = { A: urlOf('A'), B: urlOf('B') };
// The first round warms up.
const entries = await runAttempts({ rounds: rounds + 1, steps, urls, actions: actions.map(String) });
for (const name of Object.keys(urls)) {
  const times = kind =>
    entries
      .filter(each => each.kind === kind && each.name === name && each.round > 0)
      .toSorted((a, b) => a.round - b.round)
      .map(({ from, marks, to }) => ({
        steps: marks.at(-1) - marks[0],
        whole: to - from,
        each: marks.slice(1).map((mark, step) => mark - marks[step]),
      }));
  const [plain, ours] = [times('plain'), times('attempt')];
  metrics[`${name}PlainMs`] = median(plain.map(each => each.steps));
  metrics[`${name}LiveMs`] = median(ours.map(each => each.steps));
  metrics[`${name}WallRatio`] = median(ours.map((each, round) => each.steps / plain[round].steps));
  metrics[`${name}AddedMsPerStep`] = median(ours.flatMap((each, round) => each.each.map((ms, step) => ms - plain[round].each[step])));
  metrics[`${name}WholeMs`] = median(ours.map(each => each.whole));
}

// The runner alone.
const context = await browser.newContext();
const page = await context.newPage();
const endpoint = await openGuardedEndpoint({
  browser,
  profile: { kind: 'live', contexts: [context._guid], keptPages: [page._guid] },
  note: () => {},
});
const nodePath = process.execPath;
const box = await openLiveBox({
  wanted: { use: null, require: null },
  endpoint,
  nodePath,
  memoryMb: 512,
});
const childOptions = { nodePath, box, memoryMb: 512, outputChars: 1_000 };
const attach = {
  endpoint: endpoint.address,
  contextGuid: context._guid,
  ownPageGuid: page._guid,
  task: {},
  actionTimeoutMs: 1_000,
  navigationTimeoutMs: 1_000,
};
const runOptions = id => ({
  id: `step-${id}`,
  js: compileStep({ code: 'return 1', step: 1 }).js,
  step: 1,
  pageGuid: page._guid,
  timeoutMs: 30_000,
  signal: new AbortController().signal,
});

const core = pathToFileURL(createRequire(createRequire(import.meta.url).resolve('@playwright/test')).resolve('playwright-core')).href;
const starts = [];
const imports = [];
for (let round = 0; round < rounds; round += 1) {
  imports.push(await timed(() => promisify(execFile)(process.execPath, ['-e', `import('${core}')`])));
  let child;
  starts.push(
    await timed(async () => {
      child = startChild({ ...childOptions, onMessage: () => {} });
      await child.attach(attach);
    }),
  );
  await child.kill();
}

const runner = createRunner({ child: childOptions, attach, onMessage: () => {} });
await runner.ready();
const restarts = [];
for (let round = 0; round < rounds; round += 1) {
  // The spare process has had the time that a model takes to answer.
  await new Promise(resolve => setTimeout(resolve, 1_500));
  const stop = new AbortController();
  const looping = runner.run({ ...runOptions(`loop-${round}`), js: compileStep({ code: 'for (;;) {}', step: 1 }).js, signal: stop.signal });
  setTimeout(() => stop.abort(), 50);
  await looping;
  restarts.push(await timed(() => runner.run(runOptions(`after-${round}`))));
}
await runner.run(runOptions('warm'));
const trips = [];
for (let round = 0; round < rounds * 10; round += 1) trips.push(await timed(() => runner.run(runOptions(`trip-${round}`))));
await runner.close();
box.close();
await endpoint.close();
await close();

Object.assign(metrics, {
  importMs: median(imports),
  startMs: median(starts),
  startRatio: median(starts.map((ms, round) => ms / imports[round])),
  restartMs: median(restarts),
  emptyStepMs: median(trips),
});
for (const [name, value] of Object.entries(metrics)) metrics[name] = Number(value.toFixed(3));

report({
  bench: 'overhead',
  metrics,
  targets: {
    AWallRatio: { max: 1.15 },
    BWallRatio: { max: 1.15 },
    AAddedMsPerStep: { max: 10 },
    BAddedMsPerStep: { max: 10 },
    startRatio: { max: 1.3 },
    restartMs: { max: 500 },
    emptyStepMs: { max: 3 },
  },
  lines: [
    `${steps} steps, ${rounds} pairs    plain      live   ratio   added a step   whole attempt`,
    ...['A', 'B'].map(
      name =>
        `page ${name}               ${metrics[`${name}PlainMs`].toFixed(0).padStart(7)} ms ${metrics[`${name}LiveMs`].toFixed(0).padStart(6)} ms ${metrics[`${name}WallRatio`].toFixed(2).padStart(7)} ${metrics[`${name}AddedMsPerStep`].toFixed(1).padStart(8)} ms ${metrics[`${name}WholeMs`].toFixed(0).padStart(12)} ms`,
    ),
    `box: ${box.description}`,
    `runner ready ${metrics.startMs.toFixed(0)} ms, import of playwright-core ${metrics.importMs.toFixed(0)} ms, step after a kill ${metrics.restartMs.toFixed(0)} ms, empty step ${metrics.emptyStepMs.toFixed(2)} ms`,
  ],
});
