import { existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type BrowserContext, test as base, chromium, type LaunchOptions, type Page } from '@playwright/test';
import type { Environment, Observation } from '../../src/core/environment.ts';
import { parseTask } from '../../src/core/task.ts';
import { createLiveEnvironment } from '../../src/environments/live/environment.ts';
import type { LiveEnvironmentOptions } from '../../src/environments/live/options.ts';
import { EvidenceStore } from '../../src/record/evidence.ts';
import { createRunFolder } from '../../src/record/run-folder.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** A live environment on a page of its own, and a little server whose pages the test writes. */
export interface Live {
  /** Address of the server. */
  origin: string;
  /** Serves a page or whatever the handler does. */
  serve(path: string, page: string | Handler): string;
  /** Creates the environment and opens the start URLs. */
  open(startUrls?: string[], options?: Partial<LiveEnvironmentOptions>): Promise<Observation>;
  /** Runs code as the next step. */
  run(code: string, signal?: AbortSignal): Promise<Observation>;
  environment(): Environment;
  evidence(): EvidenceStore;
  folder(): string;
  context: BrowserContext;
  page: Page;
}

const installed = chromium.executablePath();
const system = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(path => existsSync(path));

export const launchOptions: LaunchOptions = {
  ...(existsSync(installed) || !system ? {} : { executablePath: system }),
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
};

export const test = base.extend<{ live: Live }, object>({
  launchOptions: [async ({}, use) => use(launchOptions), { scope: 'worker' }],
  live: async ({ browser, context, page }, use, testInfo) => {
    const pages = new Map<string, Handler>();
    const server = createServer((request, response) => {
      const handler = pages.get(new URL(request.url ?? '/', 'http://local').pathname);
      if (handler) handler(request, response);
      else response.writeHead(404, { 'content-type': 'text/html' }).end('<title>Nothing here</title>not found');
    });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    let environment: Environment | undefined;
    let evidence: EvidenceStore;
    let path = '';
    let step = 0;
    await use({
      origin,
      context,
      page,
      serve(route, content) {
        pages.set(
          route,
          typeof content === 'function'
            ? content
            : (_, response) => response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(content),
        );
        return origin + route;
      },
      async open(startUrls = [], options = {}) {
        const folder = createRunFolder({
          root: testInfo.outputPath('runs'),
          runId: 'run',
          test: testInfo.title,
          repeat: testInfo.repeatEachIndex,
        });
        path = folder.path;
        evidence = new EvidenceStore({ folder: folder.evidence });
        const task = parseTask({ id: 'live', instruction: 'Look at the page.', startUrls });
        environment = createLiveEnvironment({ browser, context, page, evidence, folder, task, ...options });
        return environment.prepare(task);
      },
      run(code, signal = new AbortController().signal) {
        step += 1;
        return (environment as Environment).execute({ code, step, signal });
      },
      environment: () => environment as Environment,
      evidence: () => evidence,
      folder: () => path,
    });
    await environment?.close();
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  },
});

export { expect } from '@playwright/test';
export { join };
