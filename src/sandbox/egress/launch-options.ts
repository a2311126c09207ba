import type { Browser, LaunchOptions } from '@playwright/test';
import type { EgressProxy } from './proxy.ts';

type Proxy = Pick<EgressProxy, 'port' | 'credential'>;

/**
 * What makes Chromium's only way out a proxy on loopback (reliability.md §3, §7.4): loopback addresses go through it as well, WebRTC sends no UDP past it
 * (full Chromium and the headless shell read different switches), there is no QUIC, and no name is resolved by the browser. Playwright adds `<-loopback>`
 * to the bypass list itself.
 */
export function proxyLaunchOptions({ port }: Pick<Proxy, 'port'>): Required<Pick<LaunchOptions, 'proxy' | 'args'>> {
  return {
    proxy: { server: `http://127.0.0.1:${port}` },
    args: [
      '--webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--disable-quic',
      '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
    ],
  };
}

const known = new WeakSet<Browser>();

/**
 * Gives a browser the credential of its proxy. Playwright's own `proxy.username` would switch off the browser's cache and send every request over
 * Playwright's process twice; here Chromium is asked once per context, and keeps the answer. Does nothing for a browser that uses another proxy, or when it
 * was done before.
 */
export async function authenticateBrowser({ browser, proxy: { port, credential } }: { browser: Browser; proxy: Proxy }): Promise<void> {
  if (known.has(browser)) return;
  known.add(browser);
  const session = await browser.newBrowserCDPSession();
  session.on('Fetch.requestPaused', ({ requestId }) => void session.send('Fetch.continueRequest', { requestId }).catch(() => {}));
  let answered = new Set<string>();
  session.on('Fetch.authRequired', ({ requestId, authChallenge: { source, origin } }) => {
    const isOurs = source === 'Proxy' && origin === `http://127.0.0.1:${port}`;
    const login = isOurs ? credential : answered.has(requestId) ? undefined : httpCredentialsFor({ browser, origin });
    answered = new Set([...answered].slice(-100)).add(requestId);
    const answer = login
      ? { response: 'ProvideCredentials' as const, username: login.username, password: login.password }
      : { response: 'Default' as const };
    session.send('Fetch.continueWithAuth', { requestId, authChallengeResponse: answer }).catch(() => {});
  });
  await session.send('Fetch.enable', { handleAuthRequests: true, patterns: [{ urlPattern: '*' }] });
}

interface HttpCredentials {
  username: string;
  password: string;
  origin?: string;
}

/**
 * `httpCredentials` of the open contexts. The session that answers for the proxy is asked before Playwright's own, and its answer is final, so
 * it answers for the sites too. Private field: pinned by the peer range of package.json.
 */
function httpCredentialsFor({ browser, origin }: { browser: Browser; origin: string }): HttpCredentials | undefined {
  const contexts = browser.contexts() as unknown as { _options: { httpCredentials?: HttpCredentials | HttpCredentials[] } }[];
  return contexts
    .flatMap(({ _options }) => _options.httpCredentials ?? [])
    .find(each => each.origin === undefined || each.origin.toLowerCase() === origin.toLowerCase());
}
