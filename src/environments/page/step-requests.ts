import { setTimeout as delay } from 'node:timers/promises';

/** The part of Playwright's `Request` that is looked at. */
export interface RequestLike {
  method(): string;
  url(): string;
  resourceType(): string;
  postData(): string | null;
}

/** Between an answer and what the page asks for next because of it. */
const followUpMs = 100;
/** A request that the step has made before, as a page that polls does, is waited for no longer than this. */
const repeatMs = 250;
const maxKeys = 1_000;

/** Knows when a page has what a step asked for. */
export interface StepRequests {
  began(request: RequestLike): void;
  /** Answered, failed, or found to be a stream that never ends. */
  ended(request: RequestLike): void;
  beginStep(): void;
  endStep(): void;
  /** Waits until the requests of the step are answered and nothing has followed for 100 ms; at most `timeoutMs`. No wait when there were none. */
  settled(timeoutMs: number): Promise<void>;
}

/**
 * Only requests that began in the step count, and only those that can change what the page says: documents, scripts and data. What a page
 * asks for again and again by itself (the same request twice while no step ran) is never waited for, and a repeat within a step
 * only briefly: a page that polls without end costs a step nothing or a quarter of a second.
 *
 * @example
 * requests.beginStep();
 * // … the code of the step clicks, the page fetches
 * await requests.settled(1_000);
 */
export function createStepRequests({
  now = () => performance.now(),
  wait = delay,
}: {
  now?: () => number;
  wait?: (ms: number) => Promise<unknown>;
} = {}): StepRequests {
  let inStep = true;
  let lastMs = Number.NEGATIVE_INFINITY;
  /** Requests of the step that are open, and whether it made the same one before. */
  const open = new Map<RequestLike, { repeat: boolean }>();
  const ofStep = new Set<string>();
  /** How often each request was made while no step ran. */
  const between = new Map<string, number>();

  return {
    began(request) {
      if (!['document', 'xhr', 'fetch', 'script'].includes(request.resourceType())) return;
      const key = keyOf(request);
      if (!inStep) {
        if (request.resourceType() !== 'document' && (between.has(key) || between.size < maxKeys))
          between.set(key, (between.get(key) ?? 0) + 1);
        return;
      }
      if ((between.get(key) ?? 0) >= 2) return;
      const repeat = ofStep.has(key);
      if (ofStep.size < maxKeys) ofStep.add(key);
      open.set(request, { repeat });
      if (!repeat) lastMs = now();
    },
    ended(request) {
      const known = open.get(request);
      open.delete(request);
      if (known && !known.repeat) lastMs = now();
    },
    beginStep() {
      inStep = true;
      lastMs = Number.NEGATIVE_INFINITY;
      open.clear();
      ofStep.clear();
    },
    endStep() {
      inStep = false;
    },
    async settled(timeoutMs) {
      const startMs = now();
      const isBusy = (ms: number) =>
        ms - lastMs < followUpMs || [...open.values()].some(({ repeat }) => !repeat || ms - startMs < repeatMs);
      for (let ms = startMs; ms - startMs < timeoutMs && isBusy(ms); ms = now()) await wait(10);
    },
  };
}

/** What makes two requests the same: without the query, in which pollers put the time. */
function keyOf(request: RequestLike): string {
  return `${request.method()} ${request.url().split(/[?#]/)[0]} ${request.postData()?.slice(0, 300) ?? ''}`;
}
