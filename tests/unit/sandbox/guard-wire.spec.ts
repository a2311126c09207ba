import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createFrameReader, toFrame } from '../../../src/sandbox/guard/frames.ts';
import { type Guard, type GuardProfile, startGuard } from '../../../src/sandbox/guard/guard.ts';
import { parseCall } from '../../../src/sandbox/guard/parse.ts';

type Message = Record<string, unknown> & { id?: string; guid?: string; method?: string; params?: Record<string, unknown> };

/** The end of a connection as messages. */
function speaker(socket: Socket) {
  const got: Message[] = [];
  let wake = () => {};
  socket.on(
    'data',
    createFrameReader({
      maxBytes: 1e9,
      onFrame: frame => {
        got.push(JSON.parse(frame.subarray(0, -1).toString()) as Message);
        wake();
      },
      onFault: () => {},
    }),
  );
  socket.on('error', () => {});
  return {
    got,
    send: (message: unknown) => socket.write(toFrame(message)),
    async until(matches: (message: Message) => boolean): Promise<Message> {
      for (;;) {
        const found = got.find(matches);
        if (found) return found;
        await new Promise<void>(resolve => {
          wake = resolve;
        });
      }
    },
  };
}

/** A guard between a child and a browser, both played by the test. */
const wire = test.extend<{ open: (profile?: Partial<GuardProfile>, limits?: Parameters<typeof startGuard>[0]['limits']) => Promise<Ends> }>(
  {
    open: async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'webwright-wire-'));
      const target = join(folder, 'target.sock');
      let server: Server | undefined;
      let guard: Guard | undefined;
      const sockets: Socket[] = [];
      await use(async (profile = {}, limits = {}) => {
        const notes: string[] = [];
        server = createServer();
        await new Promise<void>(resolve => server?.listen(target, resolve));
        guard = await startGuard({
          target,
          folder,
          limits,
          note: text => notes.push(text),
          profile: { kind: 'live', contexts: ['context@own'], keptPages: ['page@own'], ...profile },
        });
        const arrived = once(server, 'connection');
        const childSocket = connect(guard.address);
        const [browserSocket] = (await arrived) as [Socket];
        sockets.push(childSocket, browserSocket);
        const browser = speaker(browserSocket);
        for (const message of announcement) browser.send(message);
        const child = speaker(childSocket);
        await child.until(({ params }) => params?.['guid'] === 'page@own');
        return { guard, child, browser, childSocket, notes };
      });
      for (const socket of sockets) socket.destroy();
      await guard?.close();
      server?.close();
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
interface Ends {
  guard: Guard;
  child: ReturnType<typeof speaker>;
  browser: ReturnType<typeof speaker>;
  childSocket: Socket;
  notes: string[];
}

const create = (parent: string, type: string, guid: string, initializer: Record<string, unknown> = {}) => ({
  guid: parent,
  method: '__create__',
  params: { type, initializer, guid },
});
const contextOf = (name: string, options: Record<string, unknown> = {}) => [
  create('browser@1', 'Debugger', `debugger@${name}`),
  create('browser@1', 'Tracing', `tracing@${name}`),
  create('browser@1', 'APIRequestContext', `request@${name}`),
  { guid: `request@${name}`, method: '__adopt__', params: { guid: `tracing@${name}` } },
  create('browser@1', 'BrowserContext', `context@${name}`, { debugger: { guid: `debugger@${name}` }, options }),
  { guid: `context@${name}`, method: '__adopt__', params: { guid: `debugger@${name}` } },
  { guid: `context@${name}`, method: '__adopt__', params: { guid: `request@${name}` } },
  { guid: 'browser@1', method: 'context', params: { context: { guid: `context@${name}` } } },
  create(`context@${name}`, 'Frame', `frame@${name}`),
  create(`context@${name}`, 'Page', `page@${name}`, { mainFrame: { guid: `frame@${name}` } }),
  { guid: `page@${name}`, method: '__adopt__', params: { guid: `frame@${name}` } },
];
const announcement = [
  create('', 'BrowserType', 'type@1'),
  create('type@1', 'Browser', 'browser@1'),
  ...contextOf('judge'),
  ...contextOf('own', { baseURL: 'http://shop.example', storageState: { cookies: ['secret'] }, httpCredentials: [{ password: 'secret' }] }),
];
const call = (id: string, guid: string, method: string, params: Record<string, unknown> = {}) => ({
  id,
  guid,
  method,
  params,
  metadata: {},
});
const ended = (socket: Socket) => new Promise<void>(resolve => socket.on('close', () => resolve()));
const messageOf = (answer: Message) => (answer as { error?: { error?: { message?: string } } }).error?.error?.message ?? '';

wire('an allowed call passes byte for byte, and its answer comes back', async ({ open }) => {
  const { child, browser, childSocket } = await open();
  const odd = '{ "metadata": {"timeout":1.50}, "params":{ }, "method" : "title","guid":"frame@own", "id":"a@1" }';
  childSocket.write(`${odd}\0`);
  expect(await browser.until(({ id }) => id === 'a@1')).toEqual(JSON.parse(odd));
  browser.send({ id: 'a@1', result: { value: 'Kettles' } });
  expect(await child.until(({ id }) => id === 'a@1')).toEqual({ id: 'a@1', result: { value: 'Kettles' } });
});

wire('B2 B6 a refused call is answered as an error that says what to do, is counted, and never reaches the browser', async ({ open }) => {
  const { guard, child, browser, notes } = await open();
  child.send(call('a@1', 'frame@own', 'setContent', { html: '<h1>Order placed</h1>' }));
  child.send(call('a@2', 'frame@own', 'setContent', { html: '' }));
  child.send(call('a@3', 'page@own', 'teleport'));
  child.send(call('a@4', 'frame@own', 'drop', { selector: 'a', localPaths: ['/etc/passwd'] }));
  child.send(call('a@5', 'frame@own', 'goto', { url: 'file:///etc/passwd' }));
  child.send(call('a@6', 'frame@own', 'goto', { url: '/kettles' }));
  expect(messageOf(await child.until(({ id }) => id === 'a@1'))).toBe(
    'This is not available here: pages come from their site. Use page.goto().',
  );
  expect(messageOf(await child.until(({ id }) => id === 'a@3'))).toContain('it is not known');
  expect(messageOf(await child.until(({ id }) => id === 'a@4'))).toContain('Give files as buffers');
  expect(messageOf(await child.until(({ id }) => id === 'a@5'))).toContain('file: address');
  await browser.until(({ id }) => id === 'a@6');
  expect(browser.got.map(({ id }) => id)).toEqual(['a@6']);
  expect(guard.refusals().map(({ call: name, group, count }) => [name, group, count])).toEqual([
    ['Frame.setContent', 'content', 2],
    ['Page.teleport', null, 1],
    ['Frame.drop', null, 1],
    ['Frame.goto', null, 1],
  ]);
  expect(notes).toHaveLength(4);
  expect(notes[0]).toBe(
    'guard: refused Frame.setContent (group content): This is not available here: pages come from their site. Use page.goto().',
  );
});

wire('what the author has opened passes, and nothing else', async ({ open }) => {
  const { child, browser } = await open({ allow: ['content'] });
  child.send(call('a@1', 'frame@own', 'setContent', { html: '' }));
  child.send(call('a@2', 'context@own', 'cookies', { urls: [] }));
  await browser.until(({ id }) => id === 'a@1');
  expect(messageOf(await child.until(({ id }) => id === 'a@2'))).toContain('belong to the test');
});

wire('B4 the page and context of the test cannot be closed; what the code opened can', async ({ open }) => {
  const { child, browser } = await open();
  browser.send(create('context@own', 'Page', 'page@popup'));
  await child.until(({ params }) => params?.['guid'] === 'page@popup');
  const refused = [
    call('a@1', 'page@own', 'close'),
    call('a@2', 'page@own', 'runBeforeUnload'),
    call('a@3', 'context@own', 'close'),
    call('a@4', 'browser@1', 'close'),
    call('a@5', 'request@own', 'dispose'),
  ];
  for (const each of refused) child.send(each);
  for (const { id } of refused) expect(messageOf(await child.until(answer => answer.id === id))).toContain('not available here');
  child.send(call('a@6', 'page@popup', 'close'));
  child.send(call('a@7', 'browser@1', 'newContext', { selectorEngines: [] }));
  await browser.until(({ id }) => id === 'a@7');
  for (const message of contextOf('mine')) browser.send(message);
  browser.send({ id: 'a@7', result: { context: { guid: 'context@mine' } } });
  await child.until(({ id }) => id === 'a@7');
  child.send(call('a@8', 'request@mine', 'dispose'));
  child.send(call('a@9', 'context@mine', 'close'));
  await browser.until(({ id }) => id === 'a@9');
  expect(browser.got.map(({ id }) => id)).toEqual(['a@6', 'a@7', 'a@8', 'a@9']);
});

wire(
  'B9 another context and all below it are never announced, nor can they be called; the secrets of the own one are left out',
  async ({ open }) => {
    const { child, browser } = await open();
    for (const message of contextOf('late')) browser.send(message);
    browser.send(create('page@judge', 'Worker', 'worker@judge'));
    browser.send({ guid: 'context@judge', method: 'console', params: { text: 'rubric' } });
    browser.send({ guid: 'context@judge', method: '__dispose__', params: {} });
    child.send(call('a@1', 'page@judge', 'screenshot'));
    child.send(call('a@2', 'frame@late', 'title'));
    expect(messageOf(await child.until(({ id }) => id === 'a@1'))).toContain('has been closed');
    expect(messageOf(await child.until(({ id }) => id === 'a@2'))).toContain('has been closed');
    expect(JSON.stringify(child.got)).not.toMatch(/judge|late|rubric|secret/);
    expect(browser.got).toEqual([]);
  },
);

wire(
  'B9 a context of the code is announced in order before its answer, one that the harness permits a moment later is too',
  async ({ open }) => {
    const { child, browser, guard } = await open({ kind: 'script' });
    for (const message of contextOf('given')) browser.send(message);
    child.send(call('a@1', 'browser@1', 'newContext'));
    await browser.until(({ id }) => id === 'a@1');
    for (const message of contextOf('mine')) browser.send(message);
    for (const message of contextOf('judge2')) browser.send(message);
    browser.send({ id: 'a@1', result: { context: { guid: 'context@mine' } } });
    await child.until(({ id }) => id === 'a@1');
    guard.permit('context@given');
    await child.until(({ params }) => params?.['guid'] === 'page@given');
    const told = child.got.slice(child.got.findIndex(({ params }) => params?.['guid'] === 'debugger@mine'));
    expect(told).toEqual([...contextOf('mine'), { id: 'a@1', result: { context: { guid: 'context@mine' } } }, ...contextOf('given')]);
    guard.disconnect();
  },
);

const bombs: [name: string, bytes: (send: (bytes: Buffer | string) => void) => void, said: string][] = [
  ['malformed JSON', send => send('{"id":1,\0'), 'no JSON'],
  ['JSON that is no call', send => send('["id"]\0'), 'no object'],
  ['a flood of NULs', send => send(Buffer.alloc(1e6)), 'no JSON'],
  [
    'a depth bomb',
    send => send(`{"id":"a","guid":"frame@own","method":"title","params":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}\0`),
    'deeper than 100',
  ],
  [
    'a breadth bomb',
    send => send(`{"id":"a","guid":"frame@own","method":"title","params":{"a":[${'[],'.repeat(1_100_000)}1]}}\0`),
    'parts',
  ],
  ['a number used twice', send => send(`${'{"id":"a","guid":"frame@own","method":"title"}\0'.repeat(2)}`), 'same number'],
];
for (const [name, bomb, said] of bombs)
  wire(`B7 ${name} ends the connection`, async ({ open }) => {
    const { childSocket, notes } = await open();
    const closed = ended(childSocket);
    bomb(bytes => childSocket.write(bytes));
    await closed;
    expect(notes.join()).toContain(said);
  });

wire('B7 a message of 100 MB ends the connection, and no more than the limit of it is held', async ({ open }) => {
  const { childSocket, notes } = await open();
  const closed = ended(childSocket);
  const block = Buffer.alloc(1_000_000, 'x');
  const before = process.memoryUsage().arrayBuffers;
  let most = 0;
  for (let sent = 0; sent < 100 && !childSocket.destroyed; sent += 1) {
    if (!childSocket.write(block)) await Promise.race([new Promise(resolve => childSocket.once('drain', resolve)), closed]);
    most = Math.max(most, process.memoryUsage().arrayBuffers - before);
  }
  await closed;
  expect(notes.join()).toContain('more than 64 MB');
  expect(most).toBeLessThan(150_000_000);
});

wire('calls at the same time and in one step are bounded, with words for it, and the next step begins anew', async ({ open }) => {
  const { child, browser, guard } = await open({}, { callsInFlight: 2, callsPerStep: 5 });
  for (const number of [1, 2, 3]) child.send(call(`a@${number}`, 'frame@own', 'title'));
  expect(messageOf(await child.until(({ id }) => id === 'a@3'))).toContain('More than 2 calls');
  await browser.until(({ id }) => id === 'a@2');
  for (const number of [1, 2]) browser.send({ id: `a@${number}`, result: { value: '' } });
  await child.until(({ id }) => id === 'a@2');
  child.send(call('a@4', 'frame@own', 'title'));
  await browser.until(({ id }) => id === 'a@4');
  browser.send({ id: 'a@4', result: { value: '' } });
  await child.until(({ id }) => id === 'a@4');
  for (const number of [5, 6]) child.send(call(`a@${number}`, 'frame@own', 'title'));
  expect(messageOf(await child.until(({ id }) => id === 'a@6'))).toContain('more than 5 calls');
  guard.beginStep();
  child.send(call('a@7', 'frame@own', 'title'));
  await browser.until(({ id }) => id === 'a@7');
});

test('B8 messages cut at every byte, several at once, cut inside a character: read the same', () => {
  const messages = [
    call('a@1', 'frame@own', 'fill', { value: 'Käse 🧀 \\" \\\\' }),
    call('ä@2', '', 'x'),
    call('a@3', 'g', 'm', { a: ['{', '}', '"'] }),
  ];
  const bytes = Buffer.concat(messages.map(toFrame));
  const read = (chunks: Buffer[]) => {
    const calls: unknown[] = [];
    const push = createFrameReader({
      maxBytes: 1_000,
      onFrame: frame => calls.push(parseCall({ frame, maxDepth: 5 })),
      onFault: calls.push,
    });
    for (const chunk of chunks) push(chunk);
    return calls;
  };
  const expected = messages.map(({ id, guid, method, params }) => ({ id, guid, method, params }));
  const different: number[] = [];
  for (let cut = 0; cut <= bytes.length; cut += 1)
    if (JSON.stringify(read([bytes.subarray(0, cut), bytes.subarray(cut)])) !== JSON.stringify(expected)) different.push(cut);
  expect(different).toEqual([]);
  expect(read([...bytes].map(byte => Buffer.from([byte])))).toEqual(expected);
});
