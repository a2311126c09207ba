import type { BrowserContext, BrowserContextOptions } from '@playwright/test';
import { WebwrightError } from '../../core/errors.ts';
import { addStorageState } from './storage-state.ts';

/** What Playwright's own process keeps of a context; read whenever a page opens. Private: pinned by the peer range of package.json. */
interface Internals {
  _options: Record<string, unknown>;
  _connection: { toImpl?: (object: unknown) => { _options: Record<string, unknown> } };
}

/** Options that pages take over when they are opened. */
const atNewPage = [
  'baseURL',
  'locale',
  'timezoneId',
  'viewport',
  'screen',
  'deviceScaleFactor',
  'isMobile',
  'hasTouch',
  'userAgent',
  'ignoreHTTPSErrors',
  'bypassCSP',
  'javaScriptEnabled',
  'colorScheme',
  'reducedMotion',
  'forcedColors',
  'contrast',
] as const satisfies (keyof BrowserContextOptions)[];

/** Options that only a context which is made for them has; left out, the run would be another one than asked for. */
const impossible = { proxy: 'proxy', clientCertificates: 'clientCertificates' } as const;
/** Options whose absence changes nothing that the agent sees. */
const ignored = { recordVideo: 'video', recordHar: 'recordHar' } as const;

/**
 * Applies context options to the default context of a browser that was not started for them, before its page is opened. Playwright
 * offers that for new contexts only, and those have no cookies of the profile. Returns the names of options that do nothing here.
 *
 * @throws WebwrightError CONFIG_INVALID for `proxy` and `clientCertificates`.
 */
export async function applyContextOptions({
  context,
  options,
  mode,
  proxyInForce = false,
}: {
  context: BrowserContext;
  options: BrowserContextOptions;
  mode: string;
  /** The browser was started with the proxy already. */
  proxyInForce?: boolean;
}): Promise<string[]> {
  for (const [key, name] of Object.entries(impossible)) {
    const value = options[key as keyof typeof impossible];
    if (value === undefined || (Array.isArray(value) && value.length === 0) || (key === 'proxy' && proxyInForce)) continue;
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: `With browserMode ${mode} the browser runs already, and ${name} is settled when it starts`,
      seen: `${name} in \`use\``,
      remedy: `set it where that browser is started and take ${name} out of \`use\`, or choose another browserMode (local_persistent knows it)`,
    });
  }
  const { extraHTTPHeaders, geolocation, permissions, offline, httpCredentials, storageState } = options;
  if (extraHTTPHeaders) await context.setExtraHTTPHeaders(extraHTTPHeaders);
  if (geolocation) await context.setGeolocation(geolocation);
  if (permissions) await context.grantPermissions(permissions);
  if (offline) await context.setOffline(true);
  if (httpCredentials) await context.setHTTPCredentials(httpCredentials);
  const client = context as unknown as Internals;
  const taken = Object.fromEntries(
    atNewPage.flatMap(key => (options[key] === undefined ? [] : [[key, options[key] === null ? 'no-override' : options[key]]])),
  );
  if (options.viewport !== undefined) Object.assign(taken, { noDefaultViewport: options.viewport === null, viewport: options.viewport });
  for (const kept of [client._options, client._connection.toImpl?.(context)._options]) Object.assign(kept ?? {}, taken);
  if (storageState) await addStorageState({ context, storageState });
  return Object.entries(ignored).flatMap(([key, name]) => (options[key as keyof typeof ignored] ? [name] : []));
}
