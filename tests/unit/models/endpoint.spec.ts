import { readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { WebwrightError } from '../../../src/core/errors.ts';
import { createEndpointModel, type EndpointOptions } from '../../../src/models/endpoint.ts';
import { baseUrlFor, keyVariable, shownUrl } from '../../../src/models/keys.ts';
import { sharedNotBefore } from '../../../src/models/not-before.ts';
import { watchPace } from '../../../src/models/pace.ts';
import { serverEvents } from '../../../src/models/server-events.ts';
import { eachWire, protocols, test, underTest } from './endpoint-under-test.ts';

const options = (changes: Partial<EndpointOptions>): EndpointOptions => ({
  modelClass: 'openai',
  modelName: 'm',
  maxOutputTokens: 10,
  redact: text => text,
  priceOf: () => null,
  onEvent: () => undefined,
  env: {},
  ...changes,
});

function refusal(make: () => unknown): WebwrightError {
  try {
    make();
  } catch (error) {
    if (error instanceof WebwrightError) return error;
    throw error;
  }
  throw new Error('it was accepted');
}

test.describe('keys', () => {
  test('a missing key is refused at once, naming the variable', () => {
    const variables = { openai: 'OPENAI_API_KEY', anthropic: 'ANTHROPIC_API_KEY', chat: 'OPENROUTER_API_KEY' };
    for (const modelClass of protocols) {
      const error = refusal(() => createEndpointModel(options({ modelClass, env: { [variables[modelClass]]: ' ' } })));
      expect(error).toMatchObject({
        code: 'MODEL_KEY',
        seen: `${variables[modelClass]} is empty`,
        remedy: expect.stringContaining(`export ${variables[modelClass]}=`),
      });
      expect(createEndpointModel(options({ modelClass, env: { [variables[modelClass]]: 'k' } })).provider).toBe(modelClass);
    }
    const named = refusal(() => createEndpointModel(options({ apiKeyEnv: 'TEAM_KEY', env: { OPENAI_API_KEY: 'k' } })));
    expect(named.seen).toBe('TEAM_KEY is not set');
  });

  test('a variable only serves the host it belongs to', () => {
    expect(keyVariable({ modelClass: 'chat', baseUrl: 'https://api.z.ai/api/paas/v4' })).toBe('ZAI_API_KEY');
    expect(keyVariable({ modelClass: 'chat', baseUrl: 'https://models.example.com/v1' })).toBe('MODEL_API_KEY');
    expect(keyVariable({ modelClass: 'openai', baseUrl: 'https://proxy.example.com/v1' })).toBe('OPENAI_API_KEY');
  });

  test('loopback needs no key and gets none from the environment', async ({ server }) => {
    await eachWire(server, async ({ protocol, stream }) => {
      const env = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', MODEL_API_KEY: 'k' };
      const { ask } = underTest({ server, protocol, stream, apiKey: '', env });
      await ask();
      expect(server.journal[0]!.keySent).toBe(false);
    });
  });

  test('addresses: whole endpoints are cut back, nonsense is refused, secrets in them are not shown', () => {
    expect(baseUrlFor({ modelClass: 'openai', baseUrl: 'https://api.openai.com/v1/responses', env: {} })).toBe('https://api.openai.com/v1');
    expect(baseUrlFor({ modelClass: 'anthropic', baseUrl: 'https://api.anthropic.com/v1/messages', env: {} })).toBe(
      'https://api.anthropic.com',
    );
    expect(baseUrlFor({ modelClass: 'anthropic', baseUrl: 'https://api.anthropic.com/v1/', env: {} })).toBe('https://api.anthropic.com');
    expect(baseUrlFor({ modelClass: 'chat', baseUrl: 'http://127.0.0.1:11434/v1/chat/completions', env: {} })).toBe(
      'http://127.0.0.1:11434/v1',
    );
    expect(baseUrlFor({ modelClass: 'openai', baseUrl: undefined, env: { OPENAI_BASE_URL: 'http://127.0.0.1:1/v1' } })).toBe(
      'http://127.0.0.1:1/v1',
    );
    expect(refusal(() => baseUrlFor({ modelClass: 'chat', baseUrl: 'localhost:11434', env: {} })).code).toBe('CONFIG_INVALID');
    expect(shownUrl('https://user:secret@host/v1?key=abc')).toBe('https://host/v1');
  });
});

test('connection refused: unreachable, and what to set', async ({ server }) => {
  const closed = createServer().listen(0, '127.0.0.1');
  const { port } = await new Promise<AddressInfo>(resolve => closed.once('listening', () => resolve(closed.address() as AddressInfo)));
  await new Promise(resolve => closed.close(resolve));
  await eachWire(server, async ({ protocol, stream }) => {
    const { fail } = underTest({ server, protocol, stream, baseUrl: `http://127.0.0.1:${port}/v1` });
    const error = await fail();
    expect(error).toMatchObject({ failure: 'unreachable', attempts: 5 });
    expect(error.message).toContain(`127.0.0.1:${port}`);
    expect(error.message).toContain('ECONNREFUSED');
    expect(error.remedy).toContain('model.base_url');
  });
});

test.describe('the shared not-before time', () => {
  test('a 429 holds back other workers of this machine, for a bounded time', async ({ server }, testInfo) => {
    const folder = testInfo.outputPath('holds');
    const start = Date.UTC(2026, 0, 1);
    const notBefore = () => sharedNotBefore({ endpoint: server.baseUrl('chat'), now: () => start, folder });
    server.script([{ kind: 'status', status: 429, headers: { 'retry-after': '20' } }]);
    const told = underTest({ server, protocol: 'chat', notBefore: notBefore() });
    await told.ask();
    const other = underTest({ server, protocol: 'chat', notBefore: notBefore() });
    await other.ask();
    // 20 s, and half (random 0.5) of the second by which the held back are spread.
    expect(other.waits).toEqual([20_500]);
    expect(other.events).toMatchObject([{ type: 'note', text: expect.stringContaining('held back 20500 ms') }]);
    const hurried = underTest({ server, protocol: 'chat', notBefore: notBefore(), totalTimeoutMs: 10_000 });
    await hurried.ask();
    expect(hurried.waits).toEqual([]);
    const elsewhere = sharedNotBefore({ endpoint: 'https://other.example.com/v1', now: () => start, folder });
    expect(elsewhere.until()).toBe(0);
  });

  test('the latest time wins in whatever order it is written; nothing is believed beyond a minute', ({}, testInfo) => {
    const folder = testInfo.outputPath('holds');
    const hold = () => sharedNotBefore({ endpoint: 'e', now: () => 1_000, folder });
    hold().holdBack(9_000);
    hold().holdBack(3_000);
    expect(hold().until()).toBe(9_000);
    hold().holdBack(10_000_000);
    expect(hold().until()).toBe(61_000);
    for (let index = 0; index < 1_100; index += 1) hold().holdBack(2_000);
    const [name] = readdirSync(folder);
    expect(readFileSync(join(folder, name!)).byteLength).toBeLessThan(15_000);
  });

  test('garbage holds nobody back, and a symbolic link is not followed', ({}, testInfo) => {
    const folder = testInfo.outputPath('holds');
    const hold = () => sharedNotBefore({ endpoint: 'e', now: () => 1_000, folder });
    hold().holdBack(2_000);
    const path = join(folder, readdirSync(folder)[0]!);
    writeFileSync(path, 'not a time\n\u0000\u0000\n');
    expect(hold().until()).toBe(0);
    const precious = testInfo.outputPath('precious');
    writeFileSync(precious, '0000000060000\n');
    rmSync(path);
    symlinkSync(precious, path);
    hold().holdBack(2_000);
    expect(hold().until()).toBe(0);
    expect(readFileSync(precious, 'utf8')).toBe('0000000060000\n');
  });
});

test('silence is counted from the last text, and not at all before and after it', () => {
  const timers: { ms: number; cleared: boolean }[] = [];
  const pace = watchPace({
    idleTimeoutMs: 30_000,
    onSilence: () => undefined,
    setTimer: (_, ms) => timers[timers.push({ ms, cleared: false }) - 1] as unknown as NodeJS.Timeout,
    clearTimer: timer => {
      if (timer) Object.assign(timer, { cleared: true });
    },
  });
  pace.textEnds();
  expect(timers).toEqual([]);
  pace.textFlows();
  pace.textFlows();
  expect(timers).toEqual([
    { ms: 30_000, cleared: true },
    { ms: 30_000, cleared: false },
  ]);
  pace.textEnds();
  expect(timers.every(({ cleared }) => cleared)).toBe(true);
});

test('server-sent events are found however the bytes are cut', async () => {
  const text = 'event: a\r\ndata: 1\r\n\r\n: comment\ndata:2\ndata: 3\n\nevent: b\rdata: é\r\rdata: cut off';
  const wanted = [
    { event: 'a', data: '1' },
    { event: '', data: '2\n3' },
    { event: 'b', data: 'é' },
  ];
  for (let size = 1; size <= text.length; size += 1) {
    async function* chunks() {
      for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
    }
    const events: unknown[] = [];
    for await (const event of serverEvents(chunks())) events.push(event);
    expect(events, `chunks of ${size}`).toEqual(wanted);
  }
});
