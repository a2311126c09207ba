import { abortedFault, badReply, CallFault } from './call-fault.ts';
import { faultOf } from './classify.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { watchPace } from './pace.ts';
import { serverEvents, textChunks } from './server-events.ts';
import type { Connection, Pace, Wire, WireReply, WireRequest } from './wire.ts';

/** Limits of one HTTP attempt. */
export interface AttemptLimits {
  /** From the first byte sent to the last byte read. */
  attemptTimeoutMs: number;
  /** Longest silence while text is arriving. */
  idleTimeoutMs: number;
  maxBodyBytes: number;
}

/** After the last event of a stream the body gets this long to end, so that the connection can serve the next request. */
const drainMs = 200;

/**
 * One request over HTTP, from sending to the parsed reply, under one signal: whatever stops it (deadline, silence, the
 * caller) stops the reading of the body as well. Throws a CallFault, or what {@link faultOf} takes for a bug of ours.
 */
export async function httpAttempt({
  wire,
  request,
  connection,
  limits: { attemptTimeoutMs, idleTimeoutMs, maxBodyBytes },
  signal,
  now,
}: {
  wire: Wire;
  request: WireRequest;
  connection: Pick<Connection, 'baseUrl' | 'apiKey' | 'fetch'>;
  limits: AttemptLimits;
  signal: AbortSignal;
  now: () => number;
}): Promise<WireReply> {
  const controller = new AbortController();
  let begun = false;
  const expire = (detail: string) => controller.abort(new CallFault({ failure: 'deadline', detail, retry: true, begun }));
  const cancel = () => controller.abort(abortedFault({ begun }));
  const deadline = setTimeout(() => expire(`no whole reply within ${attemptTimeoutMs} ms`), attemptTimeoutMs);
  const pace = watchPace({ idleTimeoutMs, onSilence: () => expire(`the reply went silent for ${idleTimeoutMs} ms`) });
  const stopped = new Promise<never>((_, reject) =>
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true }),
  );
  stopped.catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  if (signal.aborted) cancel();
  const fetch = guardedFetch({
    fetch: connection.fetch,
    signal: controller.signal,
    maxBodyBytes,
    onStatus: status => {
      begun = status < 300;
    },
  });
  const work = (async () => {
    const response = await wire.send(request, { ...connection, fetch, signal: controller.signal, timeoutMs: attemptTimeoutMs * 2 });
    return wire.whole(await readBody({ response, wire, pace }), request);
  })();
  try {
    // Raced, because a fetch that ignores its signal must not hold anybody up.
    return await Promise.race([work, stopped]);
  } catch (error) {
    throw faultOf({ error: controller.signal.aborted ? controller.signal.reason : error, now: now(), begun });
  } finally {
    work.catch(() => undefined);
    clearTimeout(deadline);
    pace.stop();
    signal.removeEventListener('abort', cancel);
  }
}

async function readBody({ response, wire, pace }: { response: Response; wire: Wire; pace: Pace }): Promise<unknown> {
  const type = response.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  const { body } = response;
  if (!body) throw badReply('the reply has no body');
  // Servers that know no streaming answer in JSON all the same. No content type at all: the text decides.
  try {
    if (type === 'text/event-stream') return await wire.assemble(serverEvents(textChunks(body)), pace);
    if (type !== '' && type !== 'application/json' && !type.endsWith('+json')) throw badReply(`the reply is ${type} instead of JSON`);
    return await readJson(body, pace);
  } finally {
    drain(body);
  }
}

async function readJson(body: ReadableStream<Uint8Array>, pace: Pace): Promise<unknown> {
  let text = '';
  for await (const chunk of textChunks(body)) {
    text += chunk;
    // White space is how some gateways keep the connection alive.
    if (chunk.trim() !== '') pace.textFlows();
  }
  pace.textEnds();
  if (text.trim() === '') throw badReply('the reply is empty');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw badReply(`the reply is not one JSON document: ${(error as Error).message}`);
  }
}

/** Reads on until the body ends or time is up, in the background. */
function drain(body: ReadableStream<Uint8Array>): void {
  const reader = body.getReader();
  const timer = setTimeout(() => void reader.cancel().catch(() => undefined), drainMs);
  timer.unref();
  void (async () => {
    while (!(await reader.read()).done);
  })()
    .catch(() => undefined)
    .finally(() => clearTimeout(timer));
}
