import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { expect } from '@playwright/test';
import sharp from 'sharp';
import type { WireFinish } from '../../../fixtures/testing/wire-format.ts';
import type { ImagePart, Message } from '../../../src/core/messages.ts';
import { eachWire, key, schema, test, underTest } from './endpoint-under-test.ts';

const message = (role: Message['role'], content: Message['content'], extra = {}): Message => ({ role, content, extra });

/** A screenshot of the given size on disk. */
async function image({ path, width, height }: { path: string; width: number; height: number }): Promise<ImagePart> {
  const bytes = await sharp({ create: { width, height, channels: 4, background: { r: 10, g: 200, b: 30, alpha: 0.5 } } })
    .png()
    .toBuffer();
  writeFileSync(path, bytes);
  return { type: 'image', path, mediaType: 'image/png', sha256: createHash('sha256').update(bytes).digest('hex') };
}

test.describe('what is sent', () => {
  test('the schema is enforced where the protocol can', async ({ server }) => {
    await eachWire(server, async ({ protocol, stream }) => {
      await underTest({ server, protocol, stream }).ask();
      const { body } = server.journal[0]!;
      const enforced = {
        openai: { text: { format: { type: 'json_schema', name: schema.name, schema: schema.schema, strict: true } } },
        anthropic: { output_config: { format: { type: 'json_schema', schema: schema.schema } } },
        chat: { response_format: { type: 'json_schema', json_schema: { name: schema.name, schema: schema.schema, strict: true } } },
      }[protocol];
      expect(body).toMatchObject({ model: 'test-model', stream, ...enforced });
      server.reset();
      await underTest({ server, protocol, stream }).ask({ schema: undefined as never });
      expect(Object.keys(server.journal[0]!.body)).not.toEqual(expect.arrayContaining([Object.keys(enforced)[0]]));
    });
  });

  test('a 400 about the format drops one level, says so, and is remembered', async ({ server }) => {
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask, events } = underTest({ server, protocol, stream });
      const refusal = {
        kind: 'status',
        status: 400,
        message: 'This model does not support structured outputs (response_format, output_config.format).',
      } as const;
      server.script([refusal]);
      expect((await ask()).attempts).toBe(2);
      expect(events).toMatchObject([
        { type: 'note', step: 1, text: expect.stringContaining('refused the schema format: json is used from now on') },
        { type: 'model-retried', failure: 'bad-request', status: 400, waitMs: 0 },
      ]);
      const json = {
        openai: { text: { format: { type: 'json_object' } } },
        anthropic: { tools: [{ name: schema.name, input_schema: schema.schema }], tool_choice: { type: 'tool', name: schema.name } },
        chat: { response_format: { type: 'json_object' } },
      }[protocol];
      expect(server.journal[1]!.body).toMatchObject(json);
      await ask();
      expect(server.journal[2]!.body).toMatchObject(json);
      server.script([refusal]);
      await ask();
      const { body, turns } = server.journal.at(-1)!;
      expect(body).not.toMatchObject(json);
      expect(turns[0]!.text).toContain(JSON.stringify(schema.schema));
      server.script([refusal]);
      const { fail } = underTest({ server, protocol, stream });
      expect(await fail({ schema: undefined as never })).toMatchObject({ failure: 'bad-request', attempts: 1 });
    });
  });

  test('calls under way together drop one level, not one each', async ({ server }) => {
    const { ask } = underTest({ server, protocol: 'openai' });
    const refusal = { kind: 'status', status: 400, message: 'Invalid schema for text.format' } as const;
    server.script([refusal, refusal, refusal]);
    await Promise.all([ask(), ask(), ask()]);
    await ask();
    expect(server.journal.at(-1)!.body).toMatchObject({ text: { format: { type: 'json_object' } } });
  });

  test("the forced tool's input is the reply; other tools and thinking are none", async ({ server }) => {
    for (const stream of [true, false]) {
      const { ask } = underTest({ server, protocol: 'anthropic', stream });
      server.script([
        { kind: 'status', status: 400, message: 'output_config.format: Extra inputs are not permitted' },
        {
          kind: 'answer',
          text: 'Let me see.',
          thinking: '{"done":false}',
          finish: 'tool_call',
          toolCalls: [{ name: schema.name, input: { done: true } }],
        },
        { kind: 'answer', text: 'plain', finish: 'tool_call', toolCalls: [{ name: 'other', input: { done: true } }] },
      ]);
      expect(await ask()).toMatchObject({ text: '{"done":true}', finishReason: 'stop' });
      expect(await ask()).toMatchObject({ text: 'plain', finishReason: 'unknown' });
    }
  });

  test('a refused parameter is left out from then on', async ({ server }) => {
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask, events } = underTest({ server, protocol, stream, temperature: 0.2, reasoningEffort: 'high' });
      server.script([{ kind: 'status', status: 400, message: "Unsupported value: 'temperature' does not support 0.2 with this model." }]);
      await ask();
      await ask();
      expect(server.journal.map(({ body }) => body['temperature'])).toEqual([0.2, undefined, undefined]);
      const effort = {
        openai: { reasoning: { effort: 'high' } },
        anthropic: { output_config: { effort: 'high' }, thinking: { type: 'adaptive' } },
        chat: { reasoning_effort: 'high' },
      }[protocol];
      for (const { body } of server.journal) expect(body).toMatchObject(effort);
      expect(events[0]).toMatchObject({ type: 'note', text: expect.stringContaining('temperature is left out') });
    });
  });

  test('the output limit has the name that the endpoint knows', async ({ server }) => {
    const names = { openai: 'max_output_tokens', anthropic: 'max_tokens', chat: 'max_tokens' };
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask } = underTest({ server, protocol, stream });
      await ask({ maxOutputTokens: 77 });
      expect(server.journal[0]!.body).toMatchObject({ [names[protocol]]: 77 });
    });
    server.reset();
    server.script([
      {
        kind: 'status',
        status: 400,
        message: "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
      },
    ]);
    await underTest({ server, protocol: 'chat' }).ask();
    expect(server.journal[1]!.body).toMatchObject({ max_completion_tokens: 1_000 });
    expect(server.journal[1]!.body).not.toHaveProperty('max_tokens');
  });

  test('turns: exit and empty ones left out, secrets replaced, roles in the words of the protocol', async ({ server }) => {
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask } = underTest({ server, protocol, stream });
      await ask({
        messages: [
          message('system', 'Rules.'),
          message('user', `The key is ${key} and half a pair \ud83d.`),
          message('user', [{ type: 'text', text: 'Second.' }]),
          message('assistant', ''),
          message('assistant', '{"done":false}'),
          message('user', '  \n'),
          message('user', 'Third.'),
          message('exit', 'Submitted'),
        ],
      });
      const { turns } = server.journal[0]!;
      expect(JSON.stringify(server.journal[0]!.body)).not.toContain(key);
      const first = 'The key is [redacted:KEY] and half a pair \ufffd.';
      const spoken = [
        { role: 'assistant', text: '{"done":false}', images: 0 },
        { role: 'user', text: 'Third.', images: 0 },
      ];
      const apart = [
        { role: 'user', text: first, images: 0 },
        { role: 'user', text: 'Second.', images: 0 },
      ];
      expect(turns).toEqual(
        {
          openai: [{ role: 'developer', text: 'Rules.', images: 0 }, ...apart, ...spoken],
          anthropic: [{ role: 'system', text: 'Rules.', images: 0 }, { role: 'user', text: `${first}\nSecond.`, images: 0 }, ...spoken],
          chat: [{ role: 'system', text: 'Rules.', images: 0 }, { role: 'user', text: `${first}\n\nSecond.`, images: 0 }, ...spoken],
        }[protocol],
      );
    });
  });

  test('cache breakpoints stand on the system text and on the last two user turns, never on volatile text', async ({ server }) => {
    const messages = [
      message('system', 'Rules.'),
      message('user', 'one'),
      message('assistant', 'a'),
      message('user', 'two'),
      message('assistant', 'b'),
      message('user', 'three'),
      message('user', 'the time is 12:00', { volatile: true }),
    ];
    await underTest({ server, protocol: 'anthropic' }).ask({ messages });
    const { system, messages: sent } = server.journal[0]!.body as {
      system: { cache_control?: object }[];
      messages: { content: { text: string; cache_control?: object }[] }[];
    };
    expect(system).toMatchObject([{ cache_control: { type: 'ephemeral' } }]);
    const marked = sent.flatMap(({ content }) => content.filter(block => block.cache_control).map(({ text }) => text));
    expect(marked).toEqual(['two', 'three']);
    expect(sent.at(-1)!.content.map(({ text }) => text)).toEqual(['three', 'the time is 12:00']);

    for (const protocol of ['openai', 'chat'] as const) {
      server.reset();
      await underTest({ server, protocol, cacheKey: 'attempt-1' }).ask();
      expect(server.journal[0]!.body['prompt_cache_key']).toBe(protocol === 'openai' ? 'attempt-1' : undefined);
    }
  });
});

test.describe('images', () => {
  test('are scaled to the useful size, sent once encoded, and shrunk once more after a 413', async ({ server }, testInfo) => {
    const small = await image({ path: testInfo.outputPath('small.png'), width: 800, height: 600 });
    const large = await image({ path: testInfo.outputPath('large.png'), width: 4_000, height: 1_000 });
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask, events, fail } = underTest({ server, protocol, stream });
      const messages = [message('user', [{ type: 'text', text: 'Look.' }, small, large, large])];
      server.script([{ kind: 'status', status: 413 }]);
      await ask({ messages });
      const sizes = await Promise.all(
        server.journal.map(({ images }) => Promise.all(images.map(async ({ bytes }) => (await sharp(bytes).metadata()).width))),
      );
      expect(sizes).toEqual([
        [800, 2_048, 2_048],
        [800, 1_024, 1_024],
      ]);
      expect(server.journal[0]!.images.map(({ mediaType }) => mediaType)).toEqual(['image/png', 'image/jpeg', 'image/jpeg']);
      expect(server.journal[0]!.images[0]!.sha256).toBe(small.sha256);
      expect(events[0]).toMatchObject({ type: 'note', text: expect.stringContaining('half their size') });
      server.script([{ kind: 'status', status: 413 }]);
      expect(await fail({ messages })).toMatchObject({ failure: 'bad-request', status: 413, attempts: 1 });
    });
    server.reset();
    await underTest({ server, protocol: 'anthropic', modelName: 'claude-opus-4-5' }).ask({ messages: [message('user', [large])] });
    expect((await sharp(server.journal[0]!.images[0]!.bytes).metadata()).width).toBe(1_568);
  });

  test('a small image with very many bytes is sent as JPEG in its own size', async ({ server }, testInfo) => {
    const path = testInfo.outputPath('noise.png');
    const noise = Buffer.alloc(700 * 800 * 3);
    for (let index = 0, state = 1; index < noise.length; index += 1) {
      state = (state * 48_271) % 2_147_483_647;
      noise[index] = state & 255;
    }
    writeFileSync(
      path,
      await sharp(noise, { raw: { width: 700, height: 800, channels: 3 } })
        .png()
        .toBuffer(),
    );
    const part: ImagePart = { type: 'image', path, mediaType: 'image/png', sha256: 'noise' };
    await underTest({ server, protocol: 'openai' }).ask({ messages: [message('user', [part])] });
    const [{ bytes, mediaType } = { bytes: Buffer.alloc(0), mediaType: '' }] = server.journal[0]!.images;
    expect(await sharp(bytes).metadata()).toMatchObject({ format: 'jpeg', width: 700, height: 800 });
    expect(mediaType).toBe('image/jpeg');
  });

  test('an image that cannot be read is named in words, not left out silently', async ({ server }, testInfo) => {
    const path = testInfo.outputPath('broken.png');
    writeFileSync(path, 'no image');
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask, events } = underTest({ server, protocol, stream });
      const part: ImagePart = { type: 'image', path, mediaType: 'image/png', sha256: 'aa' };
      await ask({ messages: [message('user', [{ type: 'text', text: 'Look.' }, part])] });
      expect(server.journal[0]!.turns.at(-1)!.text).toContain('[an image that could not be read]');
      expect(events).toMatchObject([{ type: 'note', text: expect.stringContaining('broken.png') }]);
    });
  });
});

test.describe('what comes back', () => {
  test('finish reasons: nothing but a stop is called a stop', async ({ server }) => {
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask } = underTest({ server, protocol, stream });
      const reasons: [WireFinish, string][] = [
        ['stop', 'stop'],
        ['length', 'length'],
        ['refusal', 'refusal'],
        ['content_filter', protocol === 'anthropic' ? 'refusal' : 'content_filter'],
      ];
      for (const [finish, finishReason] of reasons) {
        server.script([{ kind: 'answer', text: '{"done":true}', finish }]);
        expect(await ask(), finish).toMatchObject({ text: '{"done":true}', finishReason });
      }
      server.script([{ kind: 'answer', text: '' }]);
      expect(await ask()).toMatchObject({ text: '', finishReason: 'stop' });
    });
  });

  test('thinking is never part of the text', async ({ server }) => {
    await eachWire(server, async ({ protocol, stream }) => {
      const { ask } = underTest({ server, protocol, stream });
      server.script([{ kind: 'answer', text: '{"done":true}', thinking: '{"done":false}' }]);
      expect((await ask()).text).toBe('{"done":true}');
    });
    const { ask } = underTest({ server, protocol: 'chat' });
    const inline: [string, string][] = [
      ['<think>{"done":false}</think>\n{"done":true}', '{"done":true}'],
      ['draft {"done":false}</think>{"done":true}', '{"done":true}'],
      ['<think>{"done":true}', ''],
      ['{"thought":"</think>","done":true}', '{"thought":"</think>","done":true}'],
    ];
    for (const [text, wanted] of inline) {
      server.script([{ kind: 'answer', text }]);
      expect((await ask()).text).toBe(wanted);
    }
  });

  test('a server that knows no streaming is understood', async ({ server }) => {
    const body = {
      model: 'm',
      choices: [{ finish_reason: 'stop', message: { content: '{"done":true}' } }],
      usage: { prompt_tokens: 5, completion_tokens: 2 },
    };
    server.script([{ kind: 'raw', body: JSON.stringify(body) }]);
    expect(await underTest({ server, protocol: 'chat', stream: true }).ask()).toMatchObject({ text: '{"done":true}', model: 'm' });
  });

  test('an unknown price stays unknown', async ({ server }) => {
    expect((await underTest({ server, protocol: 'openai', priceOf: () => null }).ask()).costUsd).toBeNull();
  });
});
