import { isRecord } from './parse.ts';

const files = 'paths of files are not passed on. Give files as buffers: setInputFiles({ name, mimeType, buffer }).';
const recorder = 'the test makes its own recordings.';

/**
 * Parameters that are refused in whatever call they stand, and what to do instead. The names of the values that Playwright's protocol takes
 * for paths of the machine it runs on, and those of what would go around the harness's network, recordings and sessions.
 */
const refusedKeys = new Map<string, string>([
  ...['localPaths', 'localDirectory', 'path', 'dir', 'file', 'files', 'zipFile', 'harFile', 'harPath', 'outputFile', 'executablePath'].map(
    (key): [string, string] => [key, files],
  ),
  ...['userDataDir', 'downloadsPath', 'tracesDir', 'artifactsDir', 'resourcesDir', 'workspaceDir', 'videosPath', 'rootDirName'].map(
    (key): [string, string] => [key, files],
  ),
  ['recordVideo', recorder],
  ['recordHar', recorder],
  ['proxy', 'the network belongs to the harness.'],
  ['clientCertificates', 'the network belongs to the harness.'],
]);

/** In these `path` is part of a cookie, not of a file system. */
const cookiePaths = new Set(['BrowserContext.addCookies', 'BrowserContext.clearCookies', 'BrowserContext.setStorageState']);

/**
 * Why a call's parameters are refused, in words for the model, or undefined. Values of the page's own are safe from the names above: the
 * protocol carries them as `{ o: [{ k, v }] }`.
 */
export function refusedParameter({
  call,
  params,
  cookies,
  knows,
}: {
  /** `Type.method`. */
  call: string;
  params: Record<string, unknown>;
  /** The author has opened cookies. */
  cookies: boolean;
  /** Whether an object of the browser may be named. */
  knows: (guid: string) => boolean;
}): string | undefined {
  const visit = (value: unknown): string | undefined => {
    if (Array.isArray(value)) return first(value, visit);
    if (!isRecord(value)) return undefined;
    if (typeof value['guid'] === 'string' && !knows(value['guid'])) return 'it names an object that is not there.';
    return first(Object.entries(value), ([key, inner]) => {
      if (key === 'path' && cookies && cookiePaths.has(call)) return undefined;
      if (key === 'storageState' && call === 'Browser.newContext')
        return cookies ? undefined : 'sessions start empty. Log in on the page, when the task asks for it.';
      // Their code would run where the harness reads what is judged. Playwright always sends the list.
      if (key === 'selectorEngines') return Array.isArray(inner) && inner.length === 0 ? undefined : 'use the built-in selectors.';
      const instead = refusedKeys.get(key);
      return instead === undefined ? visit(inner) : `\`${key}\`: ${instead}`;
    });
  };
  return visit(params);
}

/**
 * Why an address is refused, or undefined. It is read as a browser does (WHATWG), so blanks, tabs, upper case and odd slashes change nothing;
 * only `http:`, `https:` and `about:blank` pass. `data:` and `blob:` pages are of the code's own making, and no proof of anything. Which hosts
 * may be reached is decided where the connection is made, by the egress policy.
 */
export function refusedAddress({ url, base }: { url: string; base: string | undefined }): string | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url, base);
  } catch {
    return `"${shown(url)}" is not an address a browser can open (write it whole, beginning with http:// or https://).`;
  }
  if (parsed.protocol === 'about:' && parsed.pathname === 'blank') return undefined;
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')
    return `"${shown(url)}" is a ${parsed.protocol} address. Only pages of the web can be opened: http, https and about:blank.`;
  return undefined;
}

function shown(url: string): string {
  return url.slice(0, 100).toWellFormed();
}

function first<T>(items: T[], find: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
