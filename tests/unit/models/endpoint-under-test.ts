import { test as base } from '@playwright/test';
import { type FaultServer, startFaultServer } from '../../../fixtures/testing/fault-server.ts';
import type { WireProtocol } from '../../../fixtures/testing/wire-format.ts';
import type { ModelCallError } from '../../../src/core/errors.ts';
import type { Model, ModelReply, ModelRequest } from '../../../src/core/model.ts';
import { createRedactor } from '../../../src/core/redact.ts';
import { createEndpointModel, type EndpointEvent, type EndpointOptions } from '../../../src/models/endpoint.ts';
import { noHold } from '../../../src/models/not-before.ts';

export const protocols: readonly WireProtocol[] = ['openai', 'anthropic', 'chat'];
export const key = 'sk-canary-0123456789abcdef';
export const schema = {
  name: 'agent_turn',
  schema: { type: 'object', additionalProperties: false, required: ['done'], properties: { done: { type: 'boolean' } } },
};

/** An endpoint model against the fault server, with a clock that only its own waits move. */
export interface UnderTest {
  model: Model;
  events: EndpointEvent[];
  /** Waits between attempts, in ms. */
  waits: number[];
  ask(request?: Partial<ModelRequest>): Promise<ModelReply>;
  /** The error of a call that must fail. */
  fail(request?: Partial<ModelRequest>): Promise<ModelCallError>;
}

export function underTest({
  server,
  protocol,
  ...options
}: { server: FaultServer; protocol: WireProtocol } & Partial<EndpointOptions>): UnderTest {
  const events: EndpointEvent[] = [];
  const waits: number[] = [];
  let time = Date.UTC(2026, 0, 1);
  const model = createEndpointModel({
    modelClass: protocol,
    modelName: 'test-model',
    baseUrl: server.baseUrl(protocol),
    apiKey: key,
    maxOutputTokens: 1_000,
    redact: createRedactor({ secrets: [{ name: 'KEY', value: key }] }),
    priceOf: () => 0.01,
    onEvent: event => events.push(event),
    now: () => time,
    random: () => 0.5,
    sleep: async ms => {
      waits.push(ms);
      time += ms;
    },
    notBefore: noHold,
    env: {},
    ...options,
  });
  const ask = (request: Partial<ModelRequest> = {}) =>
    model.complete({
      role: 'agent',
      key: 'step-1',
      messages: [
        { role: 'system', content: 'You are an agent.', extra: {} },
        { role: 'user', content: 'Buy a kettle.', extra: {} },
      ],
      schema,
      signal: new AbortController().signal,
      ...request,
    });
  const fail = (request: Partial<ModelRequest> = {}) =>
    ask(request).then(
      reply => {
        throw new Error(`the call should have failed, but replied ${JSON.stringify(reply)}`);
      },
      (error: ModelCallError) => error,
    );
  return { model, events, waits, ask, fail };
}

/** A fault server for each test. */
export const test = base.extend<{ server: FaultServer }>({
  server: async ({}, use) => {
    const server = await startFaultServer();
    await use(server);
    await server.close();
  },
});

/** Runs the same assertions for each wire protocol, with and without streaming, as steps of one test. */
export async function eachWire(
  server: FaultServer,
  run: (wire: { protocol: WireProtocol; stream: boolean }) => Promise<void>,
  { streams = [true, false] }: { streams?: boolean[] } = {},
): Promise<void> {
  for (const protocol of protocols) {
    for (const stream of streams) {
      await test.step(`${protocol}${stream ? ', streamed' : ''}`, async () => {
        server.reset();
        await run({ protocol, stream });
      });
    }
  }
}
