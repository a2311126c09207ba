import { CallFault } from './call-fault.ts';

/** Error bodies are cut here instead of refused: their first lines say what is wrong. */
const maxErrorBodyBytes = 64 * 1024;

/**
 * A `fetch` for one HTTP attempt: the attempt's signal covers the body too, a reply above `maxBodyBytes` is refused, and
 * redirects are refused, because both SDKs would send the whole prompt to wherever they lead. `redirect: 'manual'`
 * instead of `'error'` so that the message can name the target.
 */
export function guardedFetch({
  fetch,
  signal,
  maxBodyBytes,
  onStatus,
}: {
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
  maxBodyBytes: number;
  onStatus: (status: number) => void;
}): typeof globalThis.fetch {
  return async (input, init) => {
    const signals = init?.signal ? [init.signal, signal] : [signal];
    const response = await fetch(input, { ...init, redirect: 'manual', signal: AbortSignal.any(signals) });
    if (response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400)) {
      await response.body?.cancel();
      throw new CallFault({
        failure: 'bad-request',
        status: response.status,
        detail: `the endpoint redirects to ${targetOf(response)}; redirects are refused, because the prompt would go there`,
        retry: false,
      });
    }
    onStatus(response.status);
    if (response.ok && Number(response.headers.get('content-length')) > maxBodyBytes) {
      await response.body?.cancel();
      throw tooLarge(maxBodyBytes);
    }
    if (!response.body) return response;
    const body = response.ok
      ? response.body.pipeThrough(limit({ bytes: maxBodyBytes, onExcess: controller => controller.error(tooLarge(maxBodyBytes)) }))
      : response.body.pipeThrough(limit({ bytes: maxErrorBodyBytes, onExcess: controller => controller.terminate() }));
    return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
  };
}

function limit({ bytes, onExcess }: { bytes: number; onExcess: (controller: TransformStreamDefaultController<Uint8Array>) => void }) {
  let seen = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      seen += chunk.byteLength;
      if (seen > bytes) onExcess(controller);
      else controller.enqueue(chunk);
    },
  });
}

function tooLarge(maxBodyBytes: number): CallFault {
  return new CallFault({ failure: 'bad-reply', detail: `the reply is larger than ${maxBodyBytes} bytes`, retry: false, begun: true });
}

/** Scheme and host only: a path or query may carry tokens. */
function targetOf(response: Response): string {
  const location = response.headers.get('location');
  return location && URL.canParse(location) ? new URL(location).origin : 'another address';
}
