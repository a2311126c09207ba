/**
 * `npm run bench:workspace`: what a script pays for its browser. Each round runs two scripts as commands of a workspace, one that opens its page
 * through the harness and one that launches Chromium itself, and takes the time from the call to a page that is ready, and the wall time of
 * the whole command. Medians; the target is open <= 0.6 x launch. `--json` prints the numbers, `--rounds N` sets the rounds (20).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from '../dist/src/config/browser.js';
import { parseTask } from '../dist/src/core/task.js';
import { createWorkspaceEnvironment } from '../dist/src/environments/workspace/environment.js';
import { EvidenceStore } from '../dist/src/record/evidence.js';
import { createRunFolder } from '../dist/src/record/run-folder.js';
import { median, report } from './report.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '20' }, json: { type: 'boolean', default: false } } });
const rounds = Number(values.rounds);
const target = 0.6;

const found = findChromium();
const launchOptions = { args: chromiumArgs(), ...(found?.source === 'system' && { executablePath: found.executablePath }) };
const heredoc = script => `node --input-type=module - <<'JS'\n${script}\nJS`;
const variants = {
  open: heredoc(`import { open } from 'playwright-webwright/script';
const start = performance.now();
const { page } = await open();
await page.title();
console.log('ready', performance.now() - start);`),
  launch: heredoc(`import { chromium } from 'playwright-core';
const start = performance.now();
const browser = await chromium.launch(${JSON.stringify(launchOptions)});
const page = await browser.newPage({ viewport: { width: 1280, height: 1800 } });
await page.title();
console.log('ready', performance.now() - start);
await browser.close();`),
};

const root = mkdtempSync(join(tmpdir(), 'webwright-bench-'));
const folder = createRunFolder({ root, runId: 'bench', test: 'workspace', repeat: 0 });
const task = parseTask({ id: 'bench', instruction: 'Open a page.' });
const browser = await chromium.launch(launchOptions);
const environment = createWorkspaceEnvironment({
  folder,
  task,
  evidence: new EvidenceStore({ folder: folder.evidence }),
  openBrowser: async () => browser,
  redact: text => text,
  note: () => {},
});
await environment.prepare(task);
const times = { open: { ready: [], wall: [] }, launch: { ready: [], wall: [] } };
let step = 0;
for (let round = -2; round < rounds; round += 1) {
  for (const [name, code] of Object.entries(variants)) {
    step += 1;
    const start = performance.now();
    const { fields, success } = await environment.execute({ code, step, signal: new AbortController().signal });
    const wall = performance.now() - start;
    if (!success) throw new Error(`${name}: ${fields.exception} ${fields.output}`);
    if (round < 0) continue;
    times[name].ready.push(Number(/ready ([\d.]+)/.exec(fields.output)[1]));
    times[name].wall.push(wall);
  }
}
await environment.close();
await browser.close();
rmSync(root, { recursive: true, force: true });

const round = value => Number(value.toFixed(3));
const medians = {
  openMs: median(times.open.ready),
  launchMs: median(times.launch.ready),
  openWallMs: median(times.open.wall),
  launchWallMs: median(times.launch.wall),
};
const metrics = {
  rounds,
  ...Object.fromEntries(Object.entries(medians).map(([name, ms]) => [name, round(ms)])),
  openToLaunchRatio: round(medians.openMs / medians.launchMs),
  wallRatio: round(medians.openWallMs / medians.launchWallMs),
};
const ms = value => `${value.toFixed(0)} ms`.padStart(8);
report({
  bench: 'workspace',
  metrics,
  targets: { openToLaunchRatio: { max: target } },
  lines: [
    `medians of ${rounds}         open()   launch   ratio`,
    `call to ready page   ${ms(medians.openMs)} ${ms(medians.launchMs)}    ${metrics.openToLaunchRatio}`,
    `whole command        ${ms(medians.openWallMs)} ${ms(medians.launchWallMs)}    ${metrics.wallRatio}`,
  ],
});
