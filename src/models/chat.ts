import type { ChatCompletionContentPart, ChatCompletionCreateParams, ChatCompletionMessageParam } from 'openai/resources/chat/completions';
import { z } from 'zod';
import type { FinishReason } from '../core/model.ts';
import { badReply } from './call-fault.ts';
import { errorInReply, shapeFault } from './classify.ts';
import { breakpoints, isTextOnly, merged, type SentPart, type Turn, textOfTurn } from './conversation.ts';
import { openaiClient } from './openai.ts';
import { formatInstruction } from './structured.ts';
import type { Wire, WireRequest } from './wire.ts';

const number = z.number().nullish();

const usageSchema = z.looseObject({
  prompt_tokens: number,
  completion_tokens: number,
  prompt_tokens_details: z.looseObject({ cached_tokens: number, cache_write_tokens: number }).nullish(),
  completion_tokens_details: z.looseObject({ reasoning_tokens: number }).nullish(),
  /** DeepSeek's name for cached input. */
  prompt_cache_hit_tokens: number,
  /** OpenRouter: US dollars as billed. */
  cost: number,
});

const completionSchema = z.looseObject({
  model: z.string().nullish(),
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.string(),
        message: z.looseObject({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
  usage: usageSchema.nullish(),
});

const chunkSchema = z.looseObject({
  model: z.string().nullish(),
  error: z.unknown().optional(),
  choices: z
    .array(
      z.looseObject({
        index: z.number().nullish(),
        finish_reason: z.string().nullish(),
        delta: z.looseObject({ content: z.string().nullish(), refusal: z.string().nullish() }).nullish(),
      }),
    )
    .nullish(),
  usage: usageSchema.nullish(),
});

/** Chat completions, as OpenRouter, Ollama, vLLM, LiteLLM, GLM and nearly everybody else speaks them. */
export const chatWire: Wire = {
  send(request, { baseUrl, apiKey, fetch, timeoutMs }) {
    const client = openaiClient({ baseUrl, apiKey, fetch, timeoutMs });
    return client.chat.completions.create(bodyOf({ request, host: new URL(baseUrl).hostname })).asResponse();
  },

  whole(body) {
    const parsed = completionSchema.safeParse(body);
    if (!parsed.success) throw shapeFault({ body, wanted: 'chat completion', error: parsed.error });
    const { choices, model, usage } = parsed.data;
    const { message, finish_reason } = choices[0]!;
    if (finish_reason === 'error') throw errorInReply(choices[0]) ?? badReply('the model stopped with an error');
    return {
      text: message.refusal || withoutThinking(message.content ?? ''),
      finishReason: message.refusal ? 'refusal' : (finishReasons.get(finish_reason.toLowerCase()) ?? 'unknown'),
      model: model ?? undefined,
      usage: {
        inputTokens: usage?.prompt_tokens ?? undefined,
        cachedInputTokens: usage?.prompt_tokens_details?.cached_tokens ?? usage?.prompt_cache_hit_tokens ?? undefined,
        cacheWriteTokens: usage?.prompt_tokens_details?.cache_write_tokens ?? undefined,
        outputTokens: usage?.completion_tokens ?? undefined,
        reasoningTokens: usage?.completion_tokens_details?.reasoning_tokens ?? undefined,
      },
      costUsd: usage?.cost ?? undefined,
    };
  },

  async assemble(events, pace) {
    let content = '';
    let refusal = '';
    let finishReason: string | undefined;
    let model: string | undefined;
    let usage: z.infer<typeof usageSchema> | undefined;
    for await (const { data } of events) {
      if (data === '[DONE]') break;
      const value: unknown = JSON.parse(data);
      const parsed = chunkSchema.safeParse(value);
      if (!parsed.success || parsed.data.error) throw errorInReply(value) ?? badReply('an event of the stream is no completion chunk');
      model ??= parsed.data.model ?? undefined;
      usage = parsed.data.usage ?? usage;
      const choice = parsed.data.choices?.find(({ index }) => !index);
      if (!choice) continue;
      if (choice.delta?.content) {
        content += choice.delta.content;
        pace.textFlows();
      }
      refusal += choice.delta?.refusal ?? '';
      if (choice.finish_reason) {
        finishReason = choice.finish_reason;
        pace.textEnds();
      }
    }
    if (finishReason === undefined) throw badReply('the stream ended before the completion did');
    return { model, choices: [{ finish_reason: finishReason, message: { content, refusal } }], usage };
  },
};

/** OpenAI's names, and those of servers that pass their model's own through. A tool call is no answer: we declare no tools. */
const finishReasons = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['eos', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['model_length', 'length'],
  ['content_filter', 'content_filter'],
  ['refusal', 'refusal'],
]);

/**
 * The text after a thinking block that a local server left in the reply. Code and JSON inside it are drafts, never an answer; a
 * block that does not end leaves nothing.
 */
function withoutThinking(text: string): string {
  const start = text.trimStart();
  const end = start.lastIndexOf('</think>');
  if (start.startsWith('<think>')) return end < 0 ? '' : start.slice(start.indexOf('</think>') + '</think>'.length).trimStart();
  // Some templates open the block in the prompt, so that only its end is in the reply.
  const orphan = !/^[[{`]/.test(start) && end >= 0 && !start.includes('<think>');
  return orphan ? start.slice(end + '</think>'.length).trimStart() : text;
}

function bodyOf({ request, host }: { request: WireRequest; host: string }): ChatCompletionCreateParams {
  const { model, turns, schema, level, maxOutputTokens, reasoningEffort, temperature, seed, cacheKey, stream, without } = request;
  const atOpenAI = host === 'api.openai.com';
  const atOpenRouter = host === 'openrouter.ai';
  const instruction: Turn[] =
    schema && level !== 'schema' ? [{ role: 'system', parts: [{ type: 'text', text: formatInstruction(schema), volatile: false }] }] : [];
  const sent = merged([...instruction, ...turns]);
  // Claude behind OpenRouter caches only what is marked (OpenRouter, "Prompt caching").
  const marked = atOpenRouter && /^anthropic\//.test(model) && !without.has('cacheKey') ? marksFor(sent) : new Set<SentPart>();
  // Only OpenAI itself insists on the new name; older servers know only the old one.
  const newName = atOpenAI !== without.has('outputLimitName');
  return {
    model,
    messages: sent.map(turn => messageOf({ turn, request, marked })),
    stream,
    ...(stream && !without.has('streamUsage') && { stream_options: { include_usage: true } }),
    ...(newName ? { max_completion_tokens: maxOutputTokens } : { max_tokens: maxOutputTokens }),
    ...(schema &&
      level === 'schema' && {
        response_format: { type: 'json_schema' as const, json_schema: { name: schema.name, schema: schema.schema, strict: true } },
      }),
    ...(schema && level === 'json' && { response_format: { type: 'json_object' as const } }),
    ...(reasoningEffort && !without.has('reasoningEffort') && { reasoning_effort: reasoningEffort }),
    ...(temperature !== undefined && !without.has('temperature') && { temperature }),
    ...(seed !== undefined && !without.has('seed') && { seed }),
    ...(cacheKey && atOpenAI && !without.has('cacheKey') && { prompt_cache_key: cacheKey }),
    // Otherwise OpenRouter may pick a provider that ignores the schema.
    ...(schema && level === 'schema' && atOpenRouter && { provider: { require_parameters: true } }),
  };
}

function marksFor(turns: readonly Turn[]): Set<SentPart> {
  const system = turns[0]?.role === 'system' ? turns[0].parts.at(-1) : undefined;
  return new Set([...(system ? [system] : []), ...breakpoints(turns)]);
}

function messageOf({ turn, request, marked }: { turn: Turn; request: WireRequest; marked: Set<SentPart> }): ChatCompletionMessageParam {
  const plain = isTextOnly(turn) && !turn.parts.some(part => marked.has(part));
  if (plain || turn.role === 'assistant') return { role: turn.role, content: textOfTurn(turn) };
  const content = turn.parts.map(
    (part): ChatCompletionContentPart => ({
      ...(part.type === 'text'
        ? { type: 'text', text: part.text }
        : {
            type: 'image_url',
            image_url: {
              url: `data:${part.image.mediaType};base64,${part.image.base64}`,
              // Servers of chat completions know no `original`.
              detail: request.imageDetail === 'original' ? 'high' : request.imageDetail,
            },
          }),
      ...(marked.has(part) && { cache_control: { type: 'ephemeral' } }),
    }),
  );
  return { role: turn.role, content } as ChatCompletionMessageParam;
}
