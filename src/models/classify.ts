import { z } from 'zod';
import type { ModelCallFailure } from '../core/errors.ts';
import { badReply, CallFault } from './call-fault.ts';
import { retryAfterMs } from './retry-after.ts';

const errorDetail = z.looseObject({
  message: z.string().nullish(),
  code: z.union([z.string(), z.number()]).nullish(),
  type: z.string().nullish(),
  param: z.string().nullish(),
});

/** The error object that all three protocols send, bare or under `error`. Ollama and some proxies send a string there. */
export const errorBody = z.union([
  z.looseObject({ error: errorDetail }).transform(body => body.error),
  z.looseObject({ error: z.string() }).transform(body => ({ message: body.error })),
]);

/** Network failures that another attempt will not mend: the address or the certificate is wrong. */
const permanentCodes = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'ERR_INVALID_URL',
]);

/** What fetch and both SDKs say when a connection fails. */
const networkWords = /^(fetch failed|terminated|Connection error\.|Request timed out\.)/;

const quotaWords =
  /insufficient[_ ]quota|exceeded your current quota|billing|credit balance|insufficient (credits|funds|balance)|payment required|spend(ing)? limit|key limit exceeded/i;

/**
 * Sorts whatever an HTTP attempt threw into a {@link CallFault}. Both SDKs' errors are read by shape, not by class, so
 * that one rule holds for every version. `begun`: a reply with a 2xx status was on its way, so it is billed. Errors that are no failure of the call (a bug of ours) are thrown as they are.
 */
export function faultOf({ error, now, begun = false }: { error: unknown; now: number; begun?: boolean }): CallFault {
  const chain = causesOf(error);
  const known = chain.find(cause => cause instanceof CallFault);
  if (known) return known;
  const refused = chain.find(hasStatus);
  if (refused) {
    const parsed = errorDetail.safeParse(unwrapped(refused.error));
    const detail = parsed.success ? parsed.data : undefined;
    return statusFault({
      status: refused.status,
      message: detail?.message || refused.message,
      about: [detail?.code, detail?.type, detail?.param].filter(Boolean).join(' '),
      headers: refused.headers instanceof Headers ? refused.headers : new Headers(),
      now,
    });
  }
  if (error instanceof SyntaxError) return new CallFault({ failure: 'bad-reply', detail: error.message, retry: true, begun });
  const code = chain.map(networkCode).find(value => value !== undefined);
  const message = chain.map(cause => cause.message).join(': ');
  if (code || chain.some(cause => networkWords.test(cause.message))) {
    return new CallFault({
      failure: 'unreachable',
      detail: code && !message.includes(code) ? `${message} (${code})` : message,
      retry: !code || !permanentCodes.has(code),
      begun,
    });
  }
  throw error;
}

/** The fault behind an HTTP status, or behind an error object that came with 200 (`status` is then its numeric code). */
export function statusFault({
  status,
  message,
  about,
  headers,
  now,
}: {
  status: number;
  message: string;
  about: string;
  headers: Headers;
  now: number;
}): CallFault {
  const failure = failureOf({ status, text: `${about} ${message}` });
  const advice = headers.get('x-should-retry');
  const retryable = failure === 'rate-limit' || failure === 'server-error';
  return new CallFault({
    failure,
    status,
    detail: message.startsWith(String(status)) ? message : `${status} ${message}`,
    retry: advice === 'false' ? false : retryable || (advice === 'true' && failure === 'bad-request'),
    retryAfterMs: retryAfterMs({ headers, now }),
    about,
  });
}

function failureOf({ status, text }: { status: number; text: string }): ModelCallFailure {
  if (status === 402 || ((status === 429 || status === 403 || status === 400) && quotaWords.test(text))) return 'quota';
  if (status === 429) return 'rate-limit';
  if (status === 401 || status === 403) return 'auth';
  if (status === 408 || status === 409 || status === 425 || status >= 500) return 'server-error';
  return 'bad-request';
}

/** The fault behind an error object in a reply or stream that began with 200. Numeric codes are HTTP statuses (OpenRouter); known types have theirs. */
export function errorInReply(body: unknown): CallFault | undefined {
  const parsed = errorBody.safeParse(body);
  if (!parsed.success) return undefined;
  const { message, code, type, param } = { code: undefined, type: undefined, param: undefined, ...parsed.data };
  const named = statusOfType.get(String(type)) ?? statusOfType.get(String(code));
  const status = typeof code === 'number' && code >= 400 && code < 600 ? code : (named ?? 500);
  const fault = statusFault({
    status,
    message: message || 'an error object instead of a reply',
    about: [code, type, param].filter(Boolean).join(' '),
    headers: new Headers(),
    now: 0,
  });
  return new CallFault({ ...fault, detail: `error in a reply with status 200: ${message ?? JSON.stringify(parsed.data)}`, begun: true });
}

/** The fault of a body that has not the shape it should have: the error in it, or the first thing that is wrong with it. */
export function shapeFault({ body, wanted, error }: { body: unknown; wanted: string; error: z.ZodError }): CallFault {
  const { path = [], message = '' } = error.issues[0] ?? {};
  return errorInReply(body) ?? badReply(`the reply is no ${wanted}: ${[path.join('.'), message].filter(Boolean).join(': ')}`);
}

/** Error types and their statuses: Anthropic's errors page, and OpenAI's `code` in failed responses. */
const statusOfType = new Map([
  ['invalid_request_error', 400],
  ['authentication_error', 401],
  ['billing_error', 402],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['request_too_large', 413],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 402],
  ['api_error', 500],
  ['server_error', 500],
  ['timeout_error', 504],
  ['overloaded_error', 529],
]);

function causesOf(error: unknown): Error[] {
  const chain: Error[] = [];
  for (let cause = error; cause instanceof Error && chain.length < 10; cause = cause.cause) chain.push(cause);
  return chain;
}

function networkCode(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && !/^ERR_(?!SSL|TLS|INVALID_URL)/.test(code) ? code : undefined;
}

function hasStatus(error: Error): error is Error & { status: number; error?: unknown; headers?: unknown } {
  return typeof (error as { status?: unknown }).status === 'number';
}

/** Anthropic's SDK keeps the whole body in `error`, OpenAI's keeps what is under `error` in it. */
function unwrapped(body: unknown): unknown {
  const parsed = errorBody.safeParse(body);
  return parsed.success ? parsed.data : body;
}
