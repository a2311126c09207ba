import type { ModelCallFailure } from '../core/errors.ts';
import { abortedFault, CallFault } from './call-fault.ts';
import type { NotBefore } from './not-before.ts';

/** Where time and chance come from, so that tests take none of either. */
export interface Clock {
  /** Milliseconds since 1970. */
  now: () => number;
  /** From 0 to below 1. */
  random: () => number;
  /** Rejects as soon as the signal is aborted. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>;
}

/** One failed attempt that is tried again. */
export interface Retried {
  /** 1 for the first attempt of the call. */
  attempt: number;
  fault: CallFault;
  waitMs: number;
}

/**
 * How often a call is tried when it fails one way. Rate limits and server trouble pass, so the total deadline is the
 * usual end; a bad reply was paid for, so three must do.
 */
const maxTries: Record<ModelCallFailure, number> = {
  'rate-limit': 12,
  'server-error': 8,
  unreachable: 5,
  'bad-reply': 3,
  deadline: 3,
  quota: 1,
  auth: 1,
  'bad-request': 2,
  budget: 1,
  recording: 1,
  aborted: 1,
};

const backOffBaseMs = 1_000;
const backOffCapMs = 30_000;

/**
 * The one retry loop. `attempt` makes one HTTP attempt and throws a {@link CallFault}; `adapt` may change the request after a
 * refusal, then the next attempt follows at once. Waits: full jitter over 1 s · 2ⁿ up to 30 s, or what the endpoint asks for
 * when that fits into the total deadline; when it does not, the call fails at once and says so. A 429 also holds back the
 * other workers of this machine through `notBefore`.
 */
export async function withRetries<T>({
  attempt,
  adapt,
  totalTimeoutMs,
  attemptTimeoutMs,
  clock: { now, random, sleep: rawSleep },
  notBefore,
  signal,
  onRetried,
  onHeldBack,
}: {
  attempt: (limits: { attempt: number; timeoutMs: number }) => Promise<T>;
  adapt: (fault: CallFault) => boolean;
  totalTimeoutMs: number;
  attemptTimeoutMs: number;
  clock: Clock;
  notBefore: NotBefore;
  signal: AbortSignal;
  onRetried: (retried: Retried) => void;
  onHeldBack: (waitMs: number) => void;
}): Promise<T> {
  const sleep = (ms: number) => sleepUnlessAborted({ sleep: rawSleep, ms, signal });
  const endsAt = now() + totalTimeoutMs;
  const tries = new Map<ModelCallFailure, number>();
  let waits = 0;

  async function heldBack(): Promise<void> {
    const holdMs = notBefore.until() - now();
    const left = endsAt - now();
    // Timers that fire a little early are no hold; a hold that outlasts the deadline is put to the endpoint itself.
    if (holdMs < 5 || holdMs >= left) return;
    // Spread out, so that those who were held back do not all ask at once.
    const waitMs = holdMs + random() * Math.min(backOffBaseMs, left - holdMs);
    onHeldBack(waitMs);
    await sleep(waitMs);
  }

  for (let count = 1; ; count += 1) {
    await heldBack();
    if (signal.aborted) throw abortedFault();
    const leftMs = endsAt - now();
    try {
      return await attempt({ attempt: count, timeoutMs: Math.max(1, Math.ceil(Math.min(attemptTimeoutMs, leftMs))) });
    } catch (error) {
      if (!(error instanceof CallFault)) throw error;
      const waitMs = Math.round(error.retryAfterMs ?? random() * Math.min(backOffCapMs, backOffBaseMs * 2 ** waits));
      if (error.failure === 'rate-limit') notBefore.holdBack(now() + waitMs);
      if (adapt(error)) {
        onRetried({ attempt: count, fault: error, waitMs: 0 });
        continue;
      }
      const tried = (tries.get(error.failure) ?? 0) + 1;
      tries.set(error.failure, tried);
      if (!error.retry) throw error;
      if (tried >= maxTries[error.failure]) throw ended(error, `gave up after ${count} attempts`);
      const left = endsAt - now();
      if (waitMs >= left) {
        throw ended(
          error,
          error.retryAfterMs === undefined
            ? `no time left of the ${totalTimeoutMs} ms for the whole call, after ${count} attempts`
            : `the endpoint asks to wait ${waitMs} ms, but only ${Math.max(0, left)} ms are left of the ${totalTimeoutMs} ms for the whole call`,
        );
      }
      waits += 1;
      onRetried({ attempt: count, fault: error, waitMs });
      await sleep(waitMs);
    }
  }
}

function ended(fault: CallFault, reason: string): CallFault {
  return new CallFault({ ...fault, detail: `${fault.message}; ${reason}`, retry: false });
}

/** Raced, because a sleep that ignores its signal must not hold anybody up. */
async function sleepUnlessAborted({ sleep, ms, signal }: { sleep: Clock['sleep']; ms: number; signal: AbortSignal }): Promise<void> {
  if (signal.aborted) throw abortedFault();
  const done = new AbortController();
  const aborted = new Promise<never>((_, reject) =>
    signal.addEventListener('abort', () => reject(abortedFault()), { once: true, signal: done.signal }),
  );
  try {
    await Promise.race([sleep(ms, signal), aborted]);
  } catch (error) {
    throw signal.aborted ? abortedFault() : error;
  } finally {
    done.abort();
  }
}
