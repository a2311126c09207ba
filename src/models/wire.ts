import type { FinishReason, ReplySchema } from '../core/model.ts';
import type { Usage } from '../core/usage.ts';
import type { Turn } from './conversation.ts';
import type { ServerEvent } from './server-events.ts';

/** How the reply's format is asked for: enforced schema, JSON of any shape (or a forced tool), words in the prompt. */
export type FormatLevel = 'schema' | 'json' | 'plain';

/** Parameters that an endpoint may refuse; a refused one is left out from then on. `outputLimitName` swaps `max_tokens` and `max_completion_tokens`. */
export type OptionalParameter = 'temperature' | 'seed' | 'reasoningEffort' | 'cacheKey' | 'streamUsage' | 'outputLimitName';

/** Reasoning effort as the providers name it. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** How closely an OpenAI-style endpoint should look at images. */
export type ImageDetail = 'auto' | 'low' | 'high' | 'original';

/** One request in terms that all wire protocols share. */
export interface WireRequest {
  model: string;
  turns: Turn[];
  schema?: ReplySchema | undefined;
  level: FormatLevel;
  maxOutputTokens: number;
  reasoningEffort?: ReasoningEffort | undefined;
  temperature?: number | undefined;
  seed?: number | undefined;
  cacheKey?: string | undefined;
  imageDetail: ImageDetail;
  stream: boolean;
  without: ReadonlySet<OptionalParameter>;
}

/** Usage as reported: what is missing, negative or not a number is `undefined` and estimated later. */
export type ReportedUsage = { [field in keyof Usage]?: number | undefined };

/** One whole reply in terms that all wire protocols share. */
export interface WireReply {
  text: string;
  finishReason: FinishReason;
  /** Model id as reported by the endpoint. */
  model: string | undefined;
  usage: ReportedUsage;
  /** Money as billed, in US dollars, where the endpoint reports it. */
  costUsd?: number | undefined;
}

/** Where and how requests are sent. `fetch` is the guarded one of this HTTP attempt. */
export interface Connection {
  baseUrl: string;
  /** Empty: no key is sent. */
  apiKey: string;
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  /** Above every limit of ours, so that the SDK's own timer never fires first. */
  timeoutMs: number;
}

/** Told about the pace of a stream: silence counts only while text flows, because a model may think for minutes without a word. */
export interface Pace {
  textFlows(): void;
  textEnds(): void;
}

/** One wire protocol. All of it is pure but `send`. */
export interface Wire {
  /** The request as the provider's SDK sends it; the response is returned with its body unread. Rejects with the SDK's errors. */
  send(request: WireRequest, connection: Connection): Promise<Response>;
  /** A reply from a parsed body. Throws a CallFault when the shape is not a whole reply. */
  whole(body: unknown, request: WireRequest): WireReply;
  /** The body that a stream spells out, in the shape that `whole` reads. Throws a CallFault when the stream ends before the reply does. */
  assemble(events: AsyncIterable<ServerEvent>, pace: Pace): Promise<unknown>;
}
