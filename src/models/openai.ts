import OpenAI from 'openai';
import type { ResponseCreateParams, ResponseInputItem } from 'openai/resources/responses/responses';
import { z } from 'zod';
import type { FinishReason } from '../core/model.ts';
import { badReply } from './call-fault.ts';
import { errorInReply, shapeFault } from './classify.ts';
import type { Turn } from './conversation.ts';
import { formatInstruction } from './structured.ts';
import type { Wire, WireRequest } from './wire.ts';

const number = z.number().nullish();

const responseSchema = z.looseObject({
  status: z.string().nullish(),
  model: z.string().nullish(),
  error: z.unknown().optional(),
  incomplete_details: z.looseObject({ reason: z.string().nullish() }).nullish(),
  output: z.array(
    z.looseObject({
      type: z.string(),
      content: z.array(z.looseObject({ type: z.string(), text: z.string().nullish(), refusal: z.string().nullish() })).nullish(),
    }),
  ),
  usage: z
    .looseObject({
      input_tokens: number,
      output_tokens: number,
      input_tokens_details: z.looseObject({ cached_tokens: number, cache_write_tokens: number }).nullish(),
      output_tokens_details: z.looseObject({ reasoning_tokens: number }).nullish(),
    })
    .nullish(),
});

const eventSchema = z.looseObject({ type: z.string(), response: z.unknown().optional() });

/** OpenAI's Responses API, stateless: every request carries the whole conversation and nothing is stored. */
export const openaiWire: Wire = {
  send(request, { baseUrl, apiKey, fetch, timeoutMs }) {
    const client = openaiClient({ baseUrl, apiKey, fetch, timeoutMs });
    return client.responses.create(bodyOf(request)).asResponse();
  },

  whole(body) {
    const parsed = responseSchema.safeParse(body);
    if (!parsed.success) throw shapeFault({ body, wanted: 'response object', error: parsed.error });
    const { status, error, output, usage, model, incomplete_details } = parsed.data;
    if (error || status === 'failed') throw errorInReply({ error: error ?? 'the response failed' });
    const parts = output.flatMap(item => (item.type === 'message' ? (item.content ?? []) : []));
    // We declare no tools, so a model that calls one has not answered.
    const calls = output.some(item => item.type.endsWith('_call'));
    const refusal = parts.find(part => part.type === 'refusal')?.refusal;
    return {
      text: refusal ?? parts.flatMap(part => (part.type === 'output_text' ? (part.text ?? '') : [])).join('\n'),
      finishReason: refusal === undefined ? finishReasonOf({ status, reason: incomplete_details?.reason, calls }) : 'refusal',
      model: model ?? undefined,
      usage: {
        inputTokens: usage?.input_tokens ?? undefined,
        cachedInputTokens: usage?.input_tokens_details?.cached_tokens ?? undefined,
        cacheWriteTokens: usage?.input_tokens_details?.cache_write_tokens ?? undefined,
        outputTokens: usage?.output_tokens ?? undefined,
        reasoningTokens: usage?.output_tokens_details?.reasoning_tokens ?? undefined,
      },
    };
  },

  async assemble(events, pace) {
    for await (const { data } of events) {
      if (data === '[DONE]') break;
      const event = parsedEvent(data);
      if (event.type === 'response.output_text.delta') pace.textFlows();
      else if (event.type === 'response.output_item.done') pace.textEnds();
      else if (event.type === 'error') throw errorInReply({ error: { code: null, ...event, type: event['code'] ?? 'server_error' } });
      else if (['response.completed', 'response.incomplete', 'response.failed'].includes(event.type)) return event.response;
    }
    throw badReply('the stream ended before the response was complete');
  },
};

function parsedEvent(data: string): z.infer<typeof eventSchema> {
  const value: unknown = JSON.parse(data);
  const parsed = eventSchema.safeParse(value);
  if (!parsed.success) throw errorInReply(value) ?? badReply('an event of the stream has no type');
  return parsed.data;
}

function finishReasonOf({
  status,
  reason,
  calls,
}: {
  status: string | null | undefined;
  reason: string | null | undefined;
  calls: boolean;
}): FinishReason {
  if (status === 'completed') return calls ? 'unknown' : 'stop';
  if (status !== 'incomplete') return 'unknown';
  if (reason === 'max_output_tokens') return 'length';
  return reason === 'content_filter' ? 'content_filter' : 'unknown';
}

function bodyOf(request: WireRequest): ResponseCreateParams {
  const { model, turns, schema, level, maxOutputTokens, reasoningEffort, temperature, cacheKey, stream, without } = request;
  const format =
    schema && level === 'schema'
      ? { type: 'json_schema' as const, name: schema.name, schema: schema.schema, strict: true }
      : schema && level === 'json'
        ? { type: 'json_object' as const }
        : undefined;
  const instruction: Turn[] =
    schema && level !== 'schema' ? [{ role: 'system', parts: [{ type: 'text', text: formatInstruction(schema), volatile: false }] }] : [];
  return {
    model,
    input: [...instruction, ...turns].map(turn => itemOf({ turn, request })),
    max_output_tokens: maxOutputTokens,
    store: false,
    stream,
    ...(format && { text: { format } }),
    ...(reasoningEffort && !without.has('reasoningEffort') && { reasoning: { effort: reasoningEffort } }),
    ...(temperature !== undefined && !without.has('temperature') && { temperature }),
    ...(cacheKey && !without.has('cacheKey') && { prompt_cache_key: cacheKey }),
  };
}

function itemOf({ turn, request }: { turn: Turn; request: WireRequest }): ResponseInputItem {
  if (turn.role === 'assistant') {
    // The SDK's type wants the id of a stored message; the API takes a message without one, as ours are never stored.
    const content = turn.parts.flatMap(part => (part.type === 'text' ? [{ type: 'output_text', text: part.text }] : []));
    return { type: 'message', role: 'assistant', content } as unknown as ResponseInputItem;
  }
  return {
    type: 'message',
    role: turn.role === 'system' ? 'developer' : 'user',
    content: turn.parts.map(part =>
      part.type === 'text'
        ? { type: 'input_text', text: part.text }
        : {
            type: 'input_image',
            detail: request.imageDetail,
            image_url: `data:${part.image.mediaType};base64,${part.image.base64}`,
          },
    ),
  };
}

/**
 * The SDK's client with everything it would do on its own turned off: retries, logging, and credentials or headers from the
 * environment. Also serves chat completions.
 */
export function openaiClient({
  baseUrl,
  apiKey,
  fetch,
  timeoutMs,
  headers = {},
}: {
  baseUrl: string;
  apiKey: string;
  fetch: typeof globalThis.fetch;
  timeoutMs: number;
  headers?: Record<string, string>;
}): OpenAI {
  return new OpenAI({
    baseURL: baseUrl,
    apiKey: apiKey || 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    maxRetries: 0,
    timeout: timeoutMs,
    logLevel: 'off',
    fetch,
    defaultHeaders: { ...headers, ...(apiKey === '' && { authorization: null }) },
  });
}
