import { noUsage, type Usage } from './usage.ts';

/** Stable codes of the errors a user can meet. */
export type ErrorCode =
  | 'CONFIG_INVALID'
  | 'TASK_INVALID'
  | 'START_URL'
  | 'MODEL_KEY'
  | 'MODEL_CALL'
  | 'RECORDING'
  | 'BROWSER'
  | 'SANDBOX'
  | 'DATA_MISSING'
  | 'EVIDENCE'
  | 'RECORD'
  | 'BUDGET'
  | 'PLATFORM'
  | 'INTERNAL';

/**
 * An error with what happened, what was seen and what to type next. It carries no stack trace: the three lines are the whole story.
 *
 * @example
 * throw new WebwrightError({ code: 'CONFIG_INVALID', what: 'Unknown config key', seen: 'agent.step_limt', remedy: 'Did you mean agent.step_limit?' });
 */
export class WebwrightError extends Error {
  readonly code: ErrorCode;
  readonly what: string;
  readonly seen: string | undefined;
  readonly remedy: string | undefined;

  constructor({ code, what, seen, remedy }: { code: ErrorCode; what: string; seen?: string; remedy?: string }) {
    super([what, seen && `  seen: ${seen}`, remedy && `  try:  ${remedy}`].filter(Boolean).join('\n'));
    this.name = 'WebwrightError';
    this.code = code;
    this.what = what;
    this.seen = seen;
    this.remedy = remedy;
    this.stack = `${this.name}: ${this.message}`;
  }
}

/**
 * How a model call failed. `unreachable`: the endpoint could not be used at all, so the attempt says nothing about the agent.
 * `server-error`: it answered, but with 5xx, 408, 409 or 529 until the tries ran out.
 */
export type ModelCallFailure =
  | 'unreachable'
  | 'server-error'
  | 'rate-limit'
  | 'quota'
  | 'auth'
  | 'bad-request'
  | 'bad-reply'
  | 'deadline'
  | 'budget'
  | 'recording'
  | 'aborted';

/** No usable reply could be had from a model. */
export class ModelCallError extends WebwrightError {
  readonly failure: ModelCallFailure;
  readonly status: number | undefined;
  /** HTTP attempts that were made. */
  readonly attempts: number;
  /** Estimated tokens of replies that were begun and lost, which the provider bills all the same. */
  readonly usage: Usage;

  constructor({
    failure,
    status,
    attempts = 0,
    usage = noUsage,
    ...rest
  }: {
    failure: ModelCallFailure;
    status?: number | undefined;
    attempts?: number;
    usage?: Usage;
    what: string;
    seen?: string;
    remedy?: string;
  }) {
    super({ code: 'MODEL_CALL', ...rest });
    this.failure = failure;
    this.status = status;
    this.attempts = attempts;
    this.usage = usage;
  }
}
