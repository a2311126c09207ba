import type { Message } from './messages.ts';
import type { Usage } from './usage.ts';

/** What a call is for. Usage, prices and recordings are kept apart by role. */
export type ModelRole = 'agent' | 'coach' | 'grader' | 'critical-points' | 'image-qa' | 'compaction';

/** A JSON schema the reply must follow; the provider enforces it where it can. */
export interface ReplySchema {
  name: string;
  schema: Record<string, unknown>;
}

export interface ModelRequest {
  role: ModelRole;
  /** Name of the call within its role and attempt: `step-3`, `look-1/image-2`, `item-R1`. The same call has the same key in every run. */
  key: string;
  messages: Message[];
  /** Absent: plain text is wanted. */
  schema?: ReplySchema;
  /** Overrides of the configured values for this call only. */
  maxOutputTokens?: number;
  temperature?: number;
  signal: AbortSignal;
}

/** Why the model stopped. Anything but `stop` is never executed and never a verdict. */
export type FinishReason = 'stop' | 'length' | 'refusal' | 'content_filter' | 'unknown';

export interface ModelReply {
  text: string;
  usage: Usage;
  /** True when the endpoint reported no believable usage, or when lost replies are counted in: some numbers are estimates on the high side. */
  usageEstimated?: boolean;
  finishReason: FinishReason;
  /** The model id the endpoint reports, which may differ from the one asked for. */
  model: string;
  /** Money spent, in US dollars; `null` when the price is unknown (never 0 for unknown). Replayed and scripted calls cost 0. */
  costUsd: number | null;
  durationMs: number;
  /** HTTP attempts that were needed, 1 or more; 0 for scripted and replayed replies. */
  attempts: number;
  source: 'live' | 'replayed' | 'scripted';
}

/**
 * The one interface between the harness and a language model. It throws {@link ModelCallError} when no usable reply
 * could be had; a reply it returns may still be a refusal or cut off: see `finishReason`.
 *
 * @example
 * const echo: Model = {
 *   name: 'echo', provider: 'scripted',
 *   complete: async request => reply({ text: textOf(request.messages.at(-1)!) }),
 * };
 */
export interface Model {
  /** Model id as configured, for reports. */
  readonly name: string;
  readonly provider: string;
  complete(request: ModelRequest): Promise<ModelReply>;
}
