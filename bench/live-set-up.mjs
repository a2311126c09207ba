import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from '@playwright/test';
import { chromiumArgs, findChromium } from '../dist/src/config/browser.js';
import { parseTask } from '../dist/src/core/task.js';
import { createLiveEnvironment } from '../dist/src/environments/live/environment.js';
import { EvidenceStore } from '../dist/src/record/evidence.js';
import { createRunFolder } from '../dist/src/record/run-folder.js';
import { observationPage } from './observation-pages.mjs';

/** A browser as a test of the project would have it, and a server with the observation pages at `/A` … `/D`. */
export async function setUp() {
  const found = findChromium();
  const browser = await chromium.launch({
    args: chromiumArgs(),
    ...(found?.source === 'system' && { executablePath: found.executablePath }),
  });
  const server = createServer((request, response) => {
    const name = request.url.slice(1);
    if (!/^[ABCD]$/.test(name)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(observationPage(name));
  });
  await new Promise(resolve => server.listen(0, '127.0.0.1', resolve));
  const root = mkdtempSync(join(tmpdir(), 'webwright-bench-'));
  return {
    browser,
    root,
    urlOf: name => `http://127.0.0.1:${server.address().port}/${name}`,
    async close() {
      await browser.close();
      server.close();
      rmSync(root, { recursive: true, force: true });
    },
  };
}

/** A live environment that has opened `startUrl`, on a page of its own. `run(code)` is the next step. */
export async function openLive({ browser, root, startUrl }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
  const page = await context.newPage();
  const folder = createRunFolder({ root, runId: 'bench', test: 'live', repeat: 0 });
  const task = parseTask({ id: 'bench', instruction: 'Look at the page.', startUrls: [startUrl] });
  const evidence = new EvidenceStore({ folder: folder.evidence });
  const environment = createLiveEnvironment({ browser, context, page, evidence, folder, task });
  await environment.prepare(task);
  let step = 0;
  return {
    environment,
    page,
    async run(code) {
      step += 1;
      const seen = await environment.execute({ code, step, signal: new AbortController().signal });
      if (!seen.success) throw new Error(`step ${step}: ${seen.exception}`);
      return seen;
    },
    async close() {
      await environment.close();
      await context.close();
    },
  };
}
