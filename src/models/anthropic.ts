import Anthropic from '@anthropic-ai/sdk';
import type { ContentBlockParam, MessageCreateParams } from '@anthropic-ai/sdk/resources/messages';
import { z } from 'zod';
import type { FinishReason } from '../core/model.ts';
import { badReply } from './call-fault.ts';
import { errorInReply, shapeFault } from './classify.ts';
import { breakpoints, merged, type SentPart } from './conversation.ts';
import { formatInstruction } from './structured.ts';
import type { Wire, WireRequest } from './wire.ts';

const number = z.number().nullish();

const usageSchema = z.looseObject({
  input_tokens: number,
  output_tokens: number,
  cache_read_input_tokens: number,
  cache_creation_input_tokens: number,
  output_tokens_details: z.looseObject({ thinking_tokens: number }).nullish(),
});

const messageSchema = z.looseObject({
  type: z.literal('message'),
  model: z.string().nullish(),
  stop_reason: z.string(),
  content: z.array(
    z.looseObject({ type: z.string(), text: z.string().nullish(), name: z.string().nullish(), input: z.unknown().optional() }),
  ),
  usage: usageSchema.nullish(),
});

const eventSchema = z.looseObject({
  type: z.string(),
  index: z.number().nullish(),
  message: z.looseObject({ model: z.string().nullish(), usage: usageSchema.nullish() }).nullish(),
  content_block: z.looseObject({ type: z.string() }).nullish(),
  delta: z
    .looseObject({
      type: z.string().nullish(),
      text: z.string().nullish(),
      partial_json: z.string().nullish(),
      stop_reason: z.string().nullish(),
    })
    .nullish(),
  usage: usageSchema.nullish(),
});

/** Anthropic's Messages API. The middle format level is a forced tool, which models without structured outputs have. */
export const anthropicWire: Wire = {
  send(request, { baseUrl, apiKey, fetch, timeoutMs }) {
    const client = new Anthropic({
      baseURL: baseUrl,
      // The SDK looks for other credentials when it gets no key at all.
      apiKey: apiKey || 'none',
      authToken: null,
      webhookKey: null,
      maxRetries: 0,
      timeout: timeoutMs,
      logLevel: 'off',
      fetch,
      defaultHeaders: apiKey === '' ? { authorization: null } : {},
    });
    // Not `messages.create`, which prints a warning to the console about every model with a date of retirement.
    return client.post('/v1/messages', { body: bodyOf(request), timeout: timeoutMs }).asResponse();
  },

  whole(body, { schema, level }) {
    const parsed = messageSchema.safeParse(body);
    if (!parsed.success) throw shapeFault({ body, wanted: 'message', error: parsed.error });
    const { content, stop_reason, model, usage } = parsed.data;
    // Only the declared tool counts. Two calls of it are two answers, which whoever parses the text refuses.
    const calls = content.filter(block => level === 'json' && block.type === 'tool_use' && block.name === schema?.name);
    const texts = content.flatMap(block => (block.type === 'text' ? (block.text ?? '') : []));
    return {
      text: calls.length > 0 ? calls.map(call => JSON.stringify(call.input)).join('\n') : texts.join(''),
      finishReason: stop_reason === 'tool_use' && calls.length > 0 ? 'stop' : (finishReasons.get(stop_reason) ?? 'unknown'),
      model: model ?? undefined,
      usage: {
        inputTokens: sum(usage?.input_tokens, usage?.cache_read_input_tokens, usage?.cache_creation_input_tokens),
        cachedInputTokens: usage?.cache_read_input_tokens ?? undefined,
        cacheWriteTokens: usage?.cache_creation_input_tokens ?? undefined,
        outputTokens: usage?.output_tokens ?? undefined,
        reasoningTokens: usage?.output_tokens_details?.thinking_tokens ?? undefined,
      },
    };
  },

  async assemble(events, pace) {
    const blocks = new Map<number, { block: Record<string, unknown>; text: string; json: string }>();
    let head: z.infer<typeof eventSchema>['message'];
    let usage: z.infer<typeof usageSchema> = {};
    let stopReason: string | undefined;
    for await (const { data } of events) {
      const value: unknown = JSON.parse(data);
      const parsed = eventSchema.safeParse(value);
      if (!parsed.success || parsed.data.type === 'error')
        throw errorInReply(value) ?? badReply('an event of the stream has no known shape');
      const event = parsed.data;
      const index = event.index ?? 0;
      if (event.type === 'message_start') {
        head = event.message;
        usage = head?.usage ?? {};
      } else if (event.type === 'content_block_start' && event.content_block) {
        blocks.set(index, { block: event.content_block, text: String(event.content_block['text'] ?? ''), json: '' });
      } else if (event.type === 'content_block_delta') {
        const entry = blocks.get(index);
        if (!entry) throw badReply('the stream continues a block that it never began');
        entry.text += event.delta?.text ?? '';
        entry.json += event.delta?.partial_json ?? '';
        if (event.delta?.text || event.delta?.partial_json) pace.textFlows();
      } else if (event.type === 'content_block_stop') pace.textEnds();
      else if (event.type === 'message_delta') {
        stopReason = event.delta?.stop_reason ?? stopReason;
        usage = { ...usage, ...present(event.usage ?? {}) };
      } else if (event.type === 'message_stop') {
        const content = [...blocks.values()].map(({ block, text, json }) =>
          block['type'] === 'tool_use' ? { ...block, input: JSON.parse(json || '{}') } : { ...block, text },
        );
        return { type: 'message', model: head?.model, stop_reason: stopReason, content, usage };
      }
    }
    throw badReply('the stream ended before the message did');
  },
};

const finishReasons = new Map<string, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['refusal', 'refusal'],
]);

/** Anthropic reports fresh, cached and written input apart; a part that is missing is none, a missing whole is unknown. */
function sum(input: number | null | undefined, ...parts: (number | null | undefined)[]): number | undefined {
  if (typeof input !== 'number' || input < 0) return undefined;
  return parts.reduce<number>((total, part) => total + Math.max(0, part ?? 0), input);
}

function present(usage: z.infer<typeof usageSchema>): z.infer<typeof usageSchema> {
  return Object.fromEntries(Object.entries(usage).filter(([, value]) => value !== null && value !== undefined));
}

function bodyOf(request: WireRequest): MessageCreateParams {
  const { model, turns, schema, level, maxOutputTokens, reasoningEffort, temperature, stream, without } = request;
  const system = turns
    .filter(turn => turn.role === 'system')
    .flatMap(({ parts }) => parts.flatMap(part => (part.type === 'text' ? [part.text] : [])));
  if (schema && level === 'plain') system.push(formatInstruction(schema));
  const spoken = merged(turns.filter(turn => turn.role !== 'system'));
  const caching = !without.has('cacheKey');
  const marked = caching ? breakpoints(spoken) : new Set<SentPart>();
  const forced = schema && level === 'json';
  const effort =
    without.has('reasoningEffort') || reasoningEffort === undefined || reasoningEffort === 'none' ? undefined : reasoningEffort;
  const format = schema && level === 'schema' ? { type: 'json_schema' as const, schema: schema.schema } : undefined;
  return {
    model,
    max_tokens: maxOutputTokens,
    stream,
    messages: spoken.map(turn => ({ role: turn.role as 'user' | 'assistant', content: turn.parts.map(part => blockOf({ part, marked })) })),
    ...(system.length > 0 && {
      system: [{ type: 'text' as const, text: system.join('\n\n'), ...(caching && { cache_control: { type: 'ephemeral' as const } }) }],
    }),
    ...((format || effort) && {
      output_config: { ...(format && { format }), ...(effort && { effort: effort === 'minimal' ? ('low' as const) : effort }) },
    }),
    // A forced tool and thinking exclude each other (Anthropic, "Tool use").
    ...(effort && !forced && { thinking: { type: 'adaptive' as const } }),
    ...(forced && {
      tools: [{ name: schema.name, description: 'Your reply.', input_schema: { type: 'object' as const, ...schema.schema } }],
      tool_choice: { type: 'tool' as const, name: schema.name, disable_parallel_tool_use: true },
    }),
    ...(temperature !== undefined && !without.has('temperature') && { temperature }),
  };
}

function blockOf({ part, marked }: { part: SentPart; marked: ReadonlySet<SentPart> }): ContentBlockParam {
  const mark = marked.has(part) && { cache_control: { type: 'ephemeral' as const } };
  return part.type === 'text'
    ? { type: 'text', text: part.text, ...mark }
    : { type: 'image', source: { type: 'base64', media_type: part.image.mediaType, data: part.image.base64 }, ...mark };
}
