import type { ModelCallFailure } from '../core/errors.ts';

/** Why one HTTP attempt gave no usable reply. Internal to the models: callers meet {@link ModelCallError}. */
export class CallFault extends Error {
  override name = 'CallFault';
  readonly failure: ModelCallFailure;
  /** Another attempt of the same request may succeed. */
  readonly retry: boolean;
  readonly status: number | undefined;
  /** What the endpoint asked for, in ms. */
  readonly retryAfterMs: number | undefined;
  /** A reply had begun: its tokens are billed though it was lost. */
  readonly begun: boolean;
  /** What the endpoint names as the cause of a refusal: `code`, `type` and `param` of its error, joined. */
  readonly about: string;

  constructor({
    failure,
    detail,
    retry,
    status,
    retryAfterMs,
    begun = false,
    about = '',
  }: {
    failure: ModelCallFailure;
    detail: string;
    retry: boolean;
    status?: number | undefined;
    retryAfterMs?: number | undefined;
    begun?: boolean;
    about?: string;
  }) {
    super(detail);
    this.failure = failure;
    this.retry = retry;
    this.status = status;
    this.retryAfterMs = retryAfterMs;
    this.begun = begun;
    this.about = about;
  }
}

/** A reply that came but cannot be used; worth another try, because models and proxies stumble. */
export function badReply(detail: string): CallFault {
  return new CallFault({ failure: 'bad-reply', detail, retry: true, begun: true });
}

/** The fault of a call that its caller gave up. */
export function abortedFault({ begun = false } = {}): CallFault {
  return new CallFault({ failure: 'aborted', detail: 'the call was aborted', retry: false, begun });
}
