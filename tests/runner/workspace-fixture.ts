import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base } from '@playwright/test';
import { chromiumArgs, findChromium } from '../../src/config/browser.ts';
import { parseTask } from '../../src/core/task.ts';
import { createWorkspaceEnvironment } from '../../src/environments/workspace/environment.ts';
import type { WorkspaceFields } from '../../src/environments/workspace/observe-command.ts';
import type { WorkspaceEnvironment, WorkspaceOptions } from '../../src/environments/workspace/options.ts';
import { EvidenceStore } from '../../src/record/evidence.ts';
import { createRunFolder, type RunFolder } from '../../src/record/run-folder.ts';

/** A tiny shop: a list with a sort control, a second page, a dialog and a download. */
const pages: Record<string, string> = {
  '/': `<!doctype html><title>Kettles</title><h1>Kettles</h1>
    <label>Sort by <select id=s onchange="this.value==='price'&&list.replaceChildren(...[...list.children].reverse())"><option>name<option>price</select></label>
    <ul id=list><li>Heron £39.00<li>Kestrel £24.90</ul><a href=/two target=_blank>Second</a> <a href=/file download>File</a>
    <button onclick="document.title=String(confirm('Sure?'))">Ask</button>`,
  '/two': '<!doctype html><title>Second</title><h1>Second page</h1>',
};

export interface Workspace {
  environment: WorkspaceEnvironment;
  folder: RunFolder;
  evidence: EvidenceStore;
  notes: string[];
  /** Runs a command as the next step. */
  run(code: string): Promise<WorkspaceFields>;
}

/** `site`: the shop's address. `makeWorkspace`: a prepared environment over a browser of the runner's, closed at the end. */
export const test = base.extend<{
  site: string;
  makeWorkspace: (options?: Omit<Partial<WorkspaceOptions>, 'task'> & { startUrls?: string[] }) => Promise<Workspace>;
}>({
  site: async ({}, use) => {
    const server: Server = createServer((request, response) => {
      const page = pages[request.url ?? ''];
      if (request.url === '/file')
        return response.writeHead(200, { 'content-disposition': 'attachment; filename="list.csv"' }).end('a,b\n');
      response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(page ?? '');
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    await use(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    server.closeAllConnections();
    server.close();
  },
  makeWorkspace: async ({ playwright }, use, testInfo) => {
    const opened: WorkspaceEnvironment[] = [];
    const browsers: { close(): Promise<void> }[] = [];
    // Not in Playwright's output folder, which the next start of any run empties; and outside the project, as a user's is.
    const root = mkdtempSync(join(tmpdir(), 'webwright-workspace-'));
    await use(async ({ startUrls = [], ...options } = {}) => {
      const folder = createRunFolder({ root, runId: 'r', test: testInfo.title, repeat: 0 });
      const task = parseTask({ id: 'kettle', instruction: 'Find the cheapest kettle.', startUrls });
      const evidence = new EvidenceStore({ folder: folder.evidence });
      const notes: string[] = [];
      const environment = createWorkspaceEnvironment({
        folder,
        task,
        evidence,
        redact: text => text,
        note: text => notes.push(text),
        openBrowser: async () => {
          const found = findChromium();
          const browser = await playwright.chromium.launch({
            args: chromiumArgs(),
            ...(found?.source === 'system' && { executablePath: found.executablePath }),
          });
          browsers.push(browser);
          return browser;
        },
        ...options,
      });
      opened.push(environment);
      await environment.prepare(task);
      let step = 0;
      const run = async (code: string) => {
        step += 1;
        const { fields } = await environment.execute({ code, step, signal: new AbortController().signal });
        return fields as WorkspaceFields;
      };
      return { environment, folder, evidence, notes, run };
    });
    for (const environment of opened) await environment.close();
    for (const browser of browsers) await browser.close();
    rmSync(root, { recursive: true, force: true });
  },
});

export { expect } from '@playwright/test';
