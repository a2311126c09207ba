import { setTimeout as delay } from 'node:timers/promises';
import type { EventBody } from '../core/events.ts';
import type { Model, ModelReply, ModelRequest } from '../core/model.ts';
import { createRedactor, type Redact } from '../core/redact.ts';
import { addUsage, noUsage, type Usage } from '../core/usage.ts';
import { anthropicWire } from './anthropic.ts';
import { CallFault } from './call-fault.ts';
import { chatWire } from './chat.ts';
import { turnsOf } from './conversation.ts';
import { callError } from './endpoint-error.ts';
import { httpAttempt } from './http-attempt.ts';
import { imageEncoder, usefulEdgePx } from './images.ts';
import { baseUrlFor, keyFor, keyVariable, type ModelClass } from './keys.ts';
import { type NotBefore, sharedNotBefore } from './not-before.ts';
import { openaiWire } from './openai.ts';
import { fetchWithin } from './patient-fetch.ts';
import { type Clock, withRetries } from './retry.ts';
import { type Adaptations, adapt } from './structured.ts';
import { countedUsage, estimateInput } from './usage.ts';
import type { ImageDetail, ReasoningEffort, Wire, WireRequest } from './wire.ts';

/** What an endpoint tells while it works. The outcome of a call is its reply or its error, never an event of its own. */
export type EndpointEvent = Extract<EventBody, { type: 'model-retried' | 'note' }>;

/** How to reach a model. Only the class, the name and the output limit are needed. */
export interface EndpointOptions extends Partial<Clock> {
  modelClass: ModelClass;
  modelName: string;
  /** Default: `OPENAI_BASE_URL` or `ANTHROPIC_BASE_URL`, else OpenAI, Anthropic, or OpenRouter for `chat`. */
  baseUrl?: string;
  /** Default: the variable of the endpoint (see {@link keyVariable}); none on loopback. */
  apiKey?: string;
  /** The variable that holds the key, instead of the endpoint's own. */
  apiKeyEnv?: string;
  /** Tokens of one reply, reasoning included. */
  maxOutputTokens: number;
  reasoningEffort?: ReasoningEffort;
  temperature?: number;
  /** Chat completions only; the other two protocols have none. */
  seed?: number;
  /** Same for all calls of an attempt, so that OpenAI routes them to the same cache. */
  cacheKey?: string;
  /** One HTTP attempt, body included. Default 180,000. */
  attemptTimeoutMs?: number;
  /** The whole call, waits included. Default 600,000. */
  totalTimeoutMs?: number;
  /** Longest silence while text is arriving. Default 30,000. */
  idleTimeoutMs?: number;
  /** Largest reply. Default 8 MB. */
  maxBodyBytes?: number;
  /** Longer edge of images. Default: what the model can use (see {@link usefulEdgePx}). */
  imageMaxEdgePx?: number;
  /** Default `high`: screenshots carry small text. */
  imageDetail?: ImageDetail;
  /** Default true: a stream shows early that a reply has stalled. */
  stream?: boolean;
  redact: Redact;
  /** US dollars for a usage; null when the price is unknown. */
  priceOf: (model: string, usage: Usage) => number | null;
  onEvent: (event: EndpointEvent) => void;
  fetch?: typeof globalThis.fetch;
  /** Default: shared by all processes of this user on this machine. */
  notBefore?: NotBefore;
  /** Where keys are looked up. Default `process.env`. */
  env?: Record<string, string | undefined>;
}

/** The deadlines of a call decide, nothing else. */
const patientFetch = fetchWithin({ silenceMs: 0 });

const wires: Record<ModelClass, Wire> = { openai: openaiWire, anthropic: anthropicWire, chat: chatWire };

/** Errors quote at most this much of what an endpoint said. */
const maxDetailChars = 500;

/**
 * A model behind an HTTP endpoint. Throws MODEL_KEY when a key is needed and missing; `complete` throws
 * {@link ModelCallError}, which names the endpoint and what to set, and never shows a key.
 *
 * @example
 * const model = createEndpointModel({
 *   modelClass: 'chat', modelName: 'qwen3', baseUrl: 'http://127.0.0.1:11434/v1', maxOutputTokens: 8_000,
 *   redact: text => text, priceOf: () => null, onEvent: event => console.log(event),
 * });
 */
export function createEndpointModel(options: EndpointOptions): Model {
  const {
    modelClass,
    modelName,
    attemptTimeoutMs = 180_000,
    totalTimeoutMs = 600_000,
    idleTimeoutMs = 30_000,
    maxBodyBytes = 8 * 1024 * 1024,
    imageMaxEdgePx = usefulEdgePx(modelName),
    redact,
    priceOf,
    onEvent,
    now = Date.now,
    random = Math.random,
    sleep = (ms, signal) => delay(ms, undefined, { signal }),
    fetch = patientFetch,
    env = process.env,
  } = options;
  const baseUrl = baseUrlFor({ modelClass, baseUrl: options.baseUrl, env });
  const ownVariable = options.apiKeyEnv ?? keyVariable({ modelClass, baseUrl });
  const apiKey = keyFor({ modelName, baseUrl, apiKey: options.apiKey, apiKeyEnv: options.apiKeyEnv, ownVariable, env });
  const notBefore = options.notBefore ?? sharedNotBefore({ endpoint: baseUrl, now });
  const wire = wires[modelClass];
  const known: Adaptations = { level: 'schema', without: new Set(), shrunk: false };
  // The key as well, in case the injected redaction does not know it.
  const withoutKey = createRedactor({ secrets: apiKey ? [{ name: ownVariable, value: apiKey }] : [] });
  const clean: Redact = text => withoutKey(redact(text));
  const shown = (text: string) => {
    const detail = clean(text);
    return detail.length > maxDetailChars ? `${detail.slice(0, maxDetailChars)}…` : detail;
  };
  const unreadable = new Set<string>();
  const encode = imageEncoder({ onUnreadable: ({ path }) => unreadable.add(path) });

  async function complete(call: ModelRequest): Promise<ModelReply> {
    const { role, key, messages, signal } = call;
    const startedAt = now();
    const note = (text: string) => onEvent({ type: 'note', step: stepOf(key), text: `model ${modelName}: ${shown(text)}` });
    let lost = noUsage;
    let attempts = 0;
    let sent: { request: WireRequest; shrunk: boolean } | undefined;

    const attempt = async ({ attempt, timeoutMs }: { attempt: number; timeoutMs: number }) => {
      attempts = attempt;
      const shrunk = known.shrunk;
      const maxEdgePx = shrunk ? Math.ceil(imageMaxEdgePx / 2) : imageMaxEdgePx;
      const turns = await turnsOf({ messages, redact: clean, encode: image => encode({ image, maxEdgePx }) });
      for (const path of unreadable) note(`an image could not be read and was not sent: ${path}`);
      unreadable.clear();
      const request: WireRequest = {
        model: modelName,
        turns,
        schema: call.schema,
        level: known.level,
        maxOutputTokens: call.maxOutputTokens ?? options.maxOutputTokens,
        reasoningEffort: options.reasoningEffort,
        temperature: call.temperature ?? options.temperature,
        seed: options.seed,
        cacheKey: options.cacheKey,
        imageDetail: options.imageDetail ?? 'high',
        stream: options.stream ?? true,
        without: new Set(known.without),
      };
      sent = { request, shrunk };
      try {
        const reply = await httpAttempt({
          wire,
          request,
          connection: { baseUrl, apiKey, fetch },
          limits: { attemptTimeoutMs: timeoutMs, idleTimeoutMs, maxBodyBytes },
          signal,
          now,
        });
        return { reply, turns };
      } catch (error) {
        if (error instanceof CallFault && error.begun) lost = addUsage(lost, { ...noUsage, inputTokens: estimateInput(turns) });
        throw error;
      }
    };

    try {
      const { reply, turns } = await withRetries({
        attempt,
        adapt: fault => {
          const change = sent && adapt({ fault, ...sent, known });
          if (change) note(`${change} (${fault.message})`);
          return Boolean(change);
        },
        totalTimeoutMs,
        attemptTimeoutMs,
        clock: { now, random, sleep },
        notBefore,
        signal,
        onRetried: ({ attempt, fault, waitMs }) =>
          onEvent({
            type: 'model-retried',
            role,
            key,
            attempt,
            failure: fault.failure,
            ...(fault.status !== undefined && { status: fault.status }),
            waitMs,
            detail: shown(fault.message),
          }),
        onHeldBack: waitMs => note(`held back ${Math.ceil(waitMs)} ms, because the endpoint answered 429 to this machine`),
      });
      const { usage, estimated } = countedUsage({ reported: reply.usage, turns, text: reply.text });
      const counted = addUsage(usage, lost);
      const lostAny = lost !== noUsage;
      const model = reply.model || modelName;
      // OpenRouter says what it took; what others say about money is not believed.
      const billed = new URL(baseUrl).hostname === 'openrouter.ai' && !lostAny && (reply.costUsd ?? -1) >= 0 ? reply.costUsd : undefined;
      return {
        text: reply.text,
        usage: counted,
        ...((estimated || lostAny) && { usageEstimated: true }),
        finishReason: reply.finishReason,
        model,
        costUsd: billed ?? priceOf(model, counted) ?? priceOf(modelName, counted),
        durationMs: now() - startedAt,
        attempts,
        source: 'live',
      };
    } catch (error) {
      if (!(error instanceof CallFault)) throw error;
      throw callError({
        fault: error,
        modelName,
        baseUrl,
        keyVariable: ownVariable,
        shown,
        attempts,
        usage: lost,
      });
    }
  }

  return { name: modelName, provider: modelClass, complete };
}

/** The step a key belongs to (`step-3` → 3); 0 for calls outside the loop. */
function stepOf(key: string): number {
  return Number(/^step-(\d+)/.exec(key)?.[1] ?? 0);
}
