import { expect } from '@playwright/test';
import type { Behaviour } from '../../../fixtures/testing/fault-server.ts';
import { parseTurn } from '../../../src/agent/parse-turn.ts';
import { turnSchema } from '../../../src/core/turn.ts';
import { eachWire, key, schema, test, underTest } from './endpoint-under-test.ts';

const fine: Behaviour = { kind: 'answer', text: '{"done":true}' };
const retried = (events: { type: string }[]) => events.filter(event => event.type === 'model-retried');

test('G1 429 with retry-after: honoured when it fits into the deadline, else the call fails at once and says so', async ({ server }) => {
  // Senseless values first: our own back-off, half (random 0.5) of 1, 2 and 4 s. Then 6.15 s have passed when the date comes.
  const cases: { headers: Record<string, string>; waitMs: number }[] = [
    { headers: { 'retry-after': '-7' }, waitMs: 500 },
    { headers: { 'retry-after': 'soon' }, waitMs: 1_000 },
    { headers: {}, waitMs: 2_000 },
    { headers: { 'retry-after': '2' }, waitMs: 2_000 },
    { headers: { 'retry-after': '0.3' }, waitMs: 300 },
    { headers: { 'retry-after-ms': '350' }, waitMs: 350 },
    { headers: { 'retry-after': new Date(Date.UTC(2026, 0, 1, 0, 0, 10)).toUTCString() }, waitMs: 3_850 },
    { headers: { 'retry-after': '90' }, waitMs: 90_000 },
  ];
  await eachWire(server, async ({ protocol, stream }) => {
    const { ask, waits, events } = underTest({ server, protocol, stream });
    server.script([...cases.map(({ headers }): Behaviour => ({ kind: 'status', status: 429, headers, type: 'rate_limit_error' })), fine]);
    expect(await ask()).toMatchObject({ text: '{"done":true}', attempts: 9 });
    expect(waits).toEqual(cases.map(({ waitMs }) => waitMs));
    expect(retried(events)).toMatchObject(
      cases.map(({ waitMs }, index) => ({ attempt: index + 1, failure: 'rate-limit', status: 429, waitMs })),
    );

    const short = underTest({ server, protocol, stream, totalTimeoutMs: 60_000 });
    server.script([{ kind: 'status', status: 429, headers: { 'retry-after': '90' } }, fine]);
    const error = await short.fail();
    expect(error).toMatchObject({ failure: 'rate-limit', status: 429, attempts: 1 });
    expect(error.message).toContain('asks to wait 90000 ms, but only 60000 ms are left');
    expect(short.waits).toEqual([]);
  });
});

test('G2 429 because the quota is used up is not retried', async ({ server }) => {
  await eachWire(server, async ({ protocol, stream }) => {
    for (const behaviour of [
      { kind: 'status', status: 429, code: 'insufficient_quota', message: 'You exceeded your current quota.' },
      { kind: 'status', status: 402, message: 'Payment required.' },
      { kind: 'status', status: 400, type: 'invalid_request_error', message: 'Your credit balance is too low.' },
    ] as const) {
      server.reset();
      server.script([behaviour, fine]);
      const error = await underTest({ server, protocol, stream }).fail();
      expect(error).toMatchObject({ failure: 'quota', status: behaviour.status, attempts: 1 });
      expect(error.remedy).toMatch(/add credit/);
      expect(server.journal).toHaveLength(1);
    }
  });
});

test('G3 5xx, 529, 408 and 409 are retried with jitter, and every attempt is counted', async ({ server }) => {
  await eachWire(server, async ({ protocol, stream }) => {
    const { ask, waits, events } = underTest({ server, protocol, stream });
    const statuses = [500, 502, 503, 529, 408, 409];
    server.script([
      ...statuses.map(
        (status): Behaviour =>
          status === 502 ? { kind: 'raw', status, body: '<h1>Bad Gateway</h1>', contentType: 'text/html' } : { kind: 'status', status },
      ),
      fine,
    ]);
    expect(await ask()).toMatchObject({ attempts: 7, usage: { inputTokens: 100, outputTokens: 10 } });
    expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 15_000]);
    expect(retried(events)).toMatchObject(statuses.map((status, index) => ({ attempt: index + 1, failure: 'server-error', status })));

    const down = underTest({ server, protocol, stream });
    server.script([], { kind: 'status', status: 503 });
    expect(await down.fail()).toMatchObject({ failure: 'server-error', status: 503, attempts: 8 });
  });
});

test('G4 400, 401, 403, 404, 413 and 422 are not retried, and the key is redacted from what the endpoint says', async ({ server }) => {
  const failures = { 400: 'bad-request', 401: 'auth', 403: 'auth', 404: 'bad-request', 413: 'bad-request', 422: 'bad-request' };
  const encoded = [
    key,
    Buffer.from(key).toString('base64'),
    Buffer.from(`x${key}`).toString('base64url'),
    Buffer.from(key).toString('hex'),
    [...key].reverse().join(''),
  ];
  await eachWire(server, async ({ protocol, stream }) => {
    for (const [status, failure] of Object.entries(failures)) {
      server.reset();
      server.script([{ kind: 'status', status: Number(status), message: `no: ${encoded.join(' ')} {key}` }, fine]);
      // Also when whoever made the model forgot to make its key known.
      const { fail, events } = underTest({ server, protocol, stream, ...(stream && { redact: (text: string) => text }) });
      const error = await fail();
      expect(error).toMatchObject({ failure, status: Number(status), attempts: 1 });
      expect(server.journal).toMatchObject([{ keySent: true }]);
      expect(error.message).toContain(server.baseUrl(protocol));
      expect(error.remedy).toMatch(/model\.|_API_KEY/);
      const output = JSON.stringify([error.message, error.stack, error, events]);
      for (const secret of encoded) expect(output).not.toContain(secret);
      expect(error.cause).toBeUndefined();
    }
  });
});

test('G5 a reset before the headers or in the middle of the body is retried', async ({ server }) => {
  await eachWire(server, async ({ protocol, stream }) => {
    const { ask, events, fail } = underTest({ server, protocol, stream });
    server.script([
      { kind: 'reset', when: 'before-headers' },
      { kind: 'reset', when: 'mid-body' },
      { kind: 'reset', when: 'mid-length' },
      fine,
    ]);
    const reply = await ask();
    expect(reply).toMatchObject({ text: '{"done":true}', attempts: 4, usageEstimated: true });
    // The two replies that were begun are billed: their input counts on top of the 100 that the last one reports.
    expect(reply.usage.inputTokens).toBeGreaterThan(100);
    expect(retried(events)).toMatchObject([{ failure: 'unreachable' }, { failure: 'unreachable' }, { failure: 'unreachable' }]);
    server.script([], { kind: 'reset', when: 'before-headers' });
    expect(await fail()).toMatchObject({ failure: 'unreachable', attempts: 5 });
  });
});

test('G6 a hang before or after the headers, a slow drip and mere pings end at the deadline of the attempt', async ({ server }) => {
  const faults: Behaviour[] = [
    { kind: 'hang', when: 'before-headers' },
    { kind: 'hang', when: 'after-headers' },
    { kind: 'drip', everyMs: 15 },
    { kind: 'pings', everyMs: 10 },
  ];
  // The idle limit is shorter, but silence before the first text is thinking. Every attempt fails, so that a slow machine cannot turn the outcome around.
  await eachWire(server, async ({ protocol, stream }) => {
    for (const fault of faults) {
      const { fail, events } = underTest({
        server,
        protocol,
        stream,
        attemptTimeoutMs: 25,
        ...(fault.kind !== 'drip' && { idleTimeoutMs: 5 }),
      });
      server.script([], fault);
      expect(await fail(), JSON.stringify(fault)).toMatchObject({ failure: 'deadline', attempts: 3 });
      const timedOut = { failure: 'deadline', detail: 'no whole reply within 25 ms' };
      expect(retried(events), JSON.stringify(fault)).toMatchObject([timedOut, timedOut]);
    }
  });
  await eachWire(
    server,
    async ({ protocol, stream }) => {
      const { fail } = underTest({ server, protocol, stream, idleTimeoutMs: 40 });
      server.script([], { kind: 'hang', when: 'mid-text' });
      const error = await fail();
      expect(error).toMatchObject({ failure: 'deadline', attempts: 3 });
      expect(error.message).toContain('the reply went silent for 40 ms');
    },
    { streams: [true] },
  );
});

test('G7 an empty, cut, HTML, text or shapeless reply is retried, then it is a named fault', async ({ server }) => {
  const bodies: { body: string; contentType?: string; says: RegExp; failure?: string }[] = [
    { body: '', says: /empty/ },
    { body: '{"id": "x", "outp', says: /not one JSON document/ },
    { body: '<html>busy</html>', contentType: 'text/html', says: /text\/html instead of JSON/ },
    { body: '{"done":true}', contentType: 'text/plain', says: /text\/plain instead of JSON/ },
    { body: '{}', says: /no (response object|message|chat completion)/ },
    { body: 'null', says: /no (response object|message|chat completion)/ },
    { body: '"{\\"done\\":true}"', says: /no (response object|message|chat completion)/ },
    { body: '{"error":{"message":"upstream fell over","type":"server_error"}}', says: /upstream fell over/, failure: 'server-error' },
  ];
  const faultOf = ({ body, contentType }: (typeof bodies)[number]): Behaviour => ({
    kind: 'raw',
    body,
    ...(contentType && { contentType }),
  });
  await eachWire(server, async ({ protocol, stream }) => {
    for (let index = 0; index < bodies.length; index += 2) {
      const pair = bodies.slice(index, index + 2);
      const { ask, events } = underTest({ server, protocol, stream });
      server.script([...pair.map(faultOf), fine]);
      expect((await ask()).attempts).toBe(3);
      expect(retried(events)).toMatchObject(
        pair.map(({ says, failure = 'bad-reply' }) => ({ failure, detail: expect.stringMatching(says) })),
      );
    }
    server.script([], faultOf(bodies[2]!));
    const error = await underTest({ server, protocol, stream }).fail();
    expect(error).toMatchObject({ failure: 'bad-reply', attempts: 3 });
    expect(error.message).toMatch(bodies[2]!.says);
    expect(error.usage.inputTokens).toBeGreaterThan(0);
  });
});

test('G8 invalid UTF-8, two documents and 30 MB are bounded and named', async ({ server }) => {
  await eachWire(server, async ({ protocol, stream }) => {
    const { fail, ask, events } = underTest({ server, protocol, stream });
    const broken = Buffer.concat([Buffer.from('{"text":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    server.script([{ kind: 'raw', body: broken }, { kind: 'raw', body: '{"a":1}{"b":2}' }, fine]);
    await ask();
    expect(retried(events)).toMatchObject(
      [{ detail: /UTF-8/ }, { detail: /not one JSON document/ }].map(({ detail }) => ({
        failure: 'bad-reply',
        detail: expect.stringMatching(detail),
      })),
    );
    for (const stated of [true, false]) {
      server.reset();
      server.script([{ kind: 'huge', bytes: 30_000_000, stated }, fine]);
      expect(await fail()).toMatchObject({ failure: 'bad-reply', attempts: 1, seen: expect.stringContaining('larger than 8388608 bytes') });
    }
  });
});

test('G9 a stream that is cut, malformed, in error or aborted is never a whole reply', async ({ server }) => {
  await eachWire(
    server,
    async ({ protocol, stream }) => {
      for (const [fault, failure, detail] of [
        [{ kind: 'cut' }, 'bad-reply', /stream ended before/],
        [{ kind: 'malformed-event' }, 'bad-reply', /JSON/],
        [{ kind: 'error-event', message: 'the model fell over' }, 'server-error', /fell over/],
        [{ kind: 'reset', when: 'mid-body' }, 'unreachable', /terminated|aborted|closed|reset/i],
      ] as [Behaviour, string, RegExp][]) {
        const { ask, events } = underTest({ server, protocol, stream });
        server.script([fault, fine]);
        expect(await ask()).toMatchObject({ text: '{"done":true}', attempts: 2 });
        expect(retried(events)).toMatchObject([{ failure, detail: expect.stringMatching(detail) }]);
      }
      const controller = new AbortController();
      server.script([{ kind: 'hang', when: 'mid-text' }, fine]);
      const failed = underTest({ server, protocol, stream }).fail({ signal: controller.signal });
      await expect.poll(() => server.journal.length, { intervals: [5] }).toBe(5 + 4);
      controller.abort();
      expect(await failed).toMatchObject({ failure: 'aborted', attempts: 1 });
    },
    { streams: [true] },
  );
});

test('G10 a redirect is refused: the prompt goes nowhere else', async ({ server }) => {
  await eachWire(server, async ({ protocol, stream }) => {
    server.script([{ kind: 'redirect', to: `${server.baseUrl(protocol)}/v1/elsewhere?token=abc` }, fine]);
    const error = await underTest({ server, protocol, stream }).fail();
    expect(error).toMatchObject({ failure: 'bad-request', status: 307, attempts: 1 });
    expect(error.message).toMatch(/redirects to http:\/\/127\.0\.0\.1:\d+; redirects are refused/);
    expect(error.message).not.toContain('token=abc');
    expect(server.journal).toHaveLength(1);
  });
});

test('G13 only the declared tool is an answer, and two calls of it are none', async ({ server }) => {
  const turn = (bash_command: string) => ({ thought: '', bash_command, done: false, final_response: '' });
  const declared = turnSchema('bash_command');
  await eachWire(server, async ({ protocol, stream }) => {
    const answer = (toolCalls: { name: string; input: unknown }[]): Behaviour => ({
      kind: 'answer',
      text: JSON.stringify(turn('from the text')),
      finish: 'tool_call',
      toolCalls,
    });
    const { ask } = underTest({ server, protocol, stream });
    // At the first level no protocol declares a tool: whatever is called, the model has not stopped.
    server.script([answer([{ name: declared.name, input: turn('ls') }]), answer([{ name: 'other', input: turn('ls') }])]);
    for (let call = 1; call <= 2; call += 1) expect(await ask({ schema: declared })).toMatchObject({ finishReason: 'unknown' });
    if (protocol !== 'anthropic') return;
    server.script([
      { kind: 'status', status: 400, message: 'output_config.format: Extra inputs are not permitted' },
      answer([{ name: declared.name, input: turn('ls') }]),
      answer([{ name: 'other', input: turn('ls') }]),
      answer([
        { name: declared.name, input: turn('ls') },
        { name: declared.name, input: turn('rm x') },
      ]),
    ]);
    const parsed = async () => {
      const reply = await ask({ schema: declared });
      return { finishReason: reply.finishReason, turn: parseTurn({ ...reply, actionField: 'bash_command' }) };
    };
    // Text beside the call is not the answer.
    expect(await parsed()).toMatchObject({ finishReason: 'stop', turn: { ok: true, turn: { action: 'ls' } } });
    expect(await parsed()).toMatchObject({ finishReason: 'unknown' });
    expect(await parsed()).toMatchObject({ turn: { ok: false, error: expect.stringContaining('2 different JSON objects') } });
  });
});

test('G14 an abort during the call or between two attempts stops it at once', async ({ server }) => {
  await eachWire(server, async ({ protocol, stream }) => {
    for (const when of ['before-headers', 'after-headers'] as const) {
      const controller = new AbortController();
      server.reset();
      server.script([{ kind: 'hang', when }]);
      const failed = underTest({ server, protocol, stream }).fail({ signal: controller.signal });
      await expect.poll(() => server.journal.length, { intervals: [5] }).toBe(1);
      controller.abort();
      expect(await failed).toMatchObject({ failure: 'aborted', attempts: 1 });
    }
    const controller = new AbortController();
    server.reset();
    server.script([{ kind: 'status', status: 503 }, fine]);
    // A wait that would never end by itself.
    const sleep = () => new Promise<void>(() => controller.abort());
    expect(await underTest({ server, protocol, stream, sleep }).fail({ signal: controller.signal })).toMatchObject({ failure: 'aborted' });
    expect(server.journal).toHaveLength(1);
    expect(await underTest({ server, protocol, stream }).fail({ signal: AbortSignal.abort() })).toMatchObject({
      failure: 'aborted',
      attempts: 0,
    });
    expect(server.journal).toHaveLength(1);
  });
});

test('G15 missing or negative usage is counted on the high side and marked', async ({ server }) => {
  const text = '{"done":true,"thought":"a reply of some length"}';
  await eachWire(server, async ({ protocol, stream }) => {
    const { ask } = underTest({ server, protocol, stream });
    for (const usage of [null, { input: -5, output: -1 }, { input: 0, output: 0 }, { output: 10 }]) {
      server.script([{ kind: 'answer', text, usage }]);
      const reply = await ask();
      expect(reply.usageEstimated, JSON.stringify(usage)).toBe(true);
      // At least a token for every four characters of "You are an agent." and "Buy a kettle.", and of the reply.
      expect(reply.usage.inputTokens).toBeGreaterThanOrEqual(8);
      expect(reply.usage.outputTokens).toBeGreaterThanOrEqual(usage?.output === 10 ? 10 : text.length / 4);
    }
    server.script([{ kind: 'answer', text, usage: { input: 50, output: 20, cached: 30, cacheWrite: 5, reasoning: 8 } }]);
    const { usage, usageEstimated } = await ask();
    expect(usageEstimated).toBeUndefined();
    // Anthropic reports fresh input only; ours includes what was cached and written.
    expect(usage).toEqual({
      inputTokens: protocol === 'anthropic' ? 85 : 50,
      cachedInputTokens: 30,
      cacheWriteTokens: 5,
      outputTokens: 20,
      reasoningTokens: 8,
    });
  });
});

test('G16 the model id that an endpoint reports is recorded for each call', async ({ server }) => {
  await eachWire(server, async ({ protocol, stream }) => {
    const priced: string[] = [];
    const { ask, model } = underTest({
      server,
      protocol,
      stream,
      priceOf: name => {
        priced.push(name);
        return name === 'test-model' ? 0.5 : null;
      },
    });
    server.script([{ ...fine, model: 'test-model-2026-01-01' } as Behaviour, { ...fine, model: 'other-model' } as Behaviour, fine]);
    const replies = [await ask(), await ask(), await ask({ schema })];
    expect(replies.map(reply => reply.model)).toEqual(['test-model-2026-01-01', 'other-model', 'test-model']);
    expect(model.name).toBe('test-model');
    // A snapshot whose price is unknown costs what the name that was asked for costs.
    expect(priced.slice(0, 2)).toEqual(['test-model-2026-01-01', 'test-model']);
    expect(replies.map(reply => reply.costUsd)).toEqual([0.5, 0.5, 0.5]);
  });
});
