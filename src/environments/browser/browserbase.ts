import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { WebwrightError } from '../../core/errors.ts';
import { createRedactor } from '../../core/redact.ts';

/** How sessions of Browserbase are made. The key is in the environment variable BROWSERBASE_API_KEY and nowhere else. */
export interface BrowserbaseOptions {
  /** Default: BROWSERBASE_PROJECT_ID, else the project that belongs to the key. */
  projectId?: string;
  /** Default: BROWSERBASE_BASE_URL, else `https://api.browserbase.com`. */
  apiUrl?: string;
  /** The session ends by itself after so many seconds, whatever becomes of us. Default 3600. */
  timeoutSeconds?: number;
  /** Anything else of their `POST /v1/sessions`, such as `region`, `proxies` or `browserSettings`; passed on as it is. */
  session?: Record<string, unknown>;
}

export interface BrowserbaseSession {
  id: string;
  /** A secret: whoever has it has the browser. */
  connectUrl: string;
  /** Asks for the end of the session. Never throws: in the end its own timeout ends it. Returns what went wrong, or null. */
  release(): Promise<string | null>;
}

const created = z.object({ id: z.string().min(1), connectUrl: z.string().min(1) });

/**
 * Opens a session (https://docs.browserbase.com/reference/api/create-a-session).
 *
 * @throws WebwrightError BROWSER without a key, or when the service refuses.
 */
export async function openBrowserbaseSession({
  options = {},
  env = process.env,
}: {
  options?: BrowserbaseOptions;
  env?: Readonly<Record<string, string | undefined>>;
} = {}): Promise<BrowserbaseSession> {
  const key = env['BROWSERBASE_API_KEY'];
  if (!key)
    throw new WebwrightError({
      code: 'BROWSER',
      what: 'Browserbase needs a key',
      seen: 'BROWSERBASE_API_KEY is not set',
      remedy: 'export BROWSERBASE_API_KEY=… (from the settings of your Browserbase project), or choose another browser mode',
    });
  const projectId = options.projectId ?? env['BROWSERBASE_PROJECT_ID'];
  const base = options.apiUrl ?? env['BROWSERBASE_BASE_URL'] ?? 'https://api.browserbase.com';
  const redact = createRedactor({ secrets: [{ name: 'BROWSERBASE_API_KEY', value: key }] });
  const post = async (path: string, body: Record<string, unknown>) => {
    const reply = await fetch(new URL(path, base), {
      method: 'POST',
      headers: { 'X-BB-API-Key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ ...(projectId && { projectId }), ...body }),
      // The key goes to this host only.
      redirect: 'error',
      signal: AbortSignal.timeout(30_000),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${reply.status} ${text.slice(0, 200)}`);
    return text;
  };
  let session: z.infer<typeof created>;
  try {
    session = created.parse(
      JSON.parse(await post('/v1/sessions', { timeout: options.timeoutSeconds ?? 3_600, keepAlive: false, ...options.session })),
    );
  } catch (error) {
    throw new WebwrightError({
      code: 'BROWSER',
      what: 'Browserbase gave no session',
      seen: redact(`${base}/v1/sessions: ${causeOf(error)}`),
      remedy: 'check BROWSERBASE_API_KEY, BROWSERBASE_PROJECT_ID and the limit of sessions of your plan',
    });
  }
  return {
    ...session,
    async release() {
      for (let tries = 1; ; tries += 1) {
        try {
          await post(`/v1/sessions/${encodeURIComponent(session.id)}`, { status: 'REQUEST_RELEASE' });
          return null;
        } catch (error) {
          if (tries === 3) return redact(`the Browserbase session ${session.id} could not be released: ${causeOf(error)}`);
          await delay(tries * 300);
        }
      }
    },
  };
}

function causeOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: { message?: string } };
  return [message, cause?.message].filter(Boolean).join(': ').slice(0, 300);
}
