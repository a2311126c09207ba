import type { Page } from '@playwright/test';
import { WebwrightError } from '../../core/errors.ts';
import { oneLine } from '../clean-text.ts';
import { within } from '../deadline.ts';

/** What Chromium says, what it means, and what to do about it. */
const explanations: [RegExp, string, string][] = [
  [/ERR_NAME_NOT_RESOLVED/, 'the host name does not resolve', 'check the spelling and the DNS of this machine'],
  [/ERR_CONNECTION_REFUSED/, 'nothing listens at this address', 'start the server, or correct host and port in the task'],
  [/ERR_(CONNECTION_)?TIMED_OUT/, 'nothing answers at this address', 'check the address, the firewall and the proxy of this machine'],
  [
    /ERR_CONNECTION_RESET|ERR_CONNECTION_CLOSED|ERR_EMPTY_RESPONSE/,
    'the server closed the connection without an answer',
    'check the server, and http against https',
  ],
  [
    /ERR_INVALID_AUTH_CREDENTIALS/,
    'the server asks for a user name and a password',
    "set httpCredentials in the Playwright config's `use`",
  ],
  [/CLIENT_AUTH_CERT/, 'the server asks for a certificate of yours', "set clientCertificates in the Playwright config's `use`"],
  [/ERR_SSL_(PROTOCOL_ERROR|VERSION)/, 'the server does not speak https there', 'write http:// instead of https://, or correct the port'],
  [
    /ERR_CERT_|ERR_SSL_/,
    'the certificate of the server is not trusted',
    "set ignoreHTTPSErrors: true in the Playwright config's `use` if that is what you want",
  ],
  [/ERR_INTERNET_DISCONNECTED|ERR_ADDRESS_UNREACHABLE/, 'the network cannot be reached', 'check the network of this machine'],
  [
    /ERR_PROXY|ERR_TUNNEL/,
    'the proxy refuses it or does not answer',
    "check environment.egress (docs/egress.md), and proxy in the Playwright config's `use`",
  ],
  [/ERR_TOO_MANY_REDIRECTS/, 'the server redirects in a circle', 'open the address in a browser, or start from another page'],
  [/ERR_HTTP_RESPONSE_CODE_FAILURE/, 'the server answered with an error and no page', 'open the address in a browser to see its status'],
  [/ERR_UNSAFE_PORT/, 'browsers refuse this port', 'serve the site on another port'],
  [
    /Cannot navigate to invalid URL|ERR_INVALID_URL|ERR_UNKNOWN_URL_SCHEME/,
    'this is not an address a browser can open',
    'write it whole, e.g. https://example.org/',
  ],
  [/Download is starting/, 'the address is a download, not a page', 'start from the page that offers it'],
  [/ERR_ABORTED/, 'the server sent no page (no content, or a download)', 'start from an address that is a page'],
];

/** In plain words what a navigation error means; null for anything else. */
export function explainNavigation(message: string): { meaning: string; remedy: string } | null {
  const found = explanations.find(([pattern]) => pattern.test(message));
  return found ? { meaning: found[1], remedy: found[2] } : null;
}

/**
 * Opens a start URL. A page that is slow or never finishes loading is not an error: the text to show as first event is
 * returned. Anything that leaves no page at all throws START_URL.
 */
export async function openStartUrl({ page, url, timeoutMs }: { page: Page; url: string; timeoutMs: number }): Promise<string | null> {
  try {
    await within({
      promise: page.goto(url, { waitUntil: 'domcontentloaded', timeout: timeoutMs }),
      timeoutMs: timeoutMs + 1_000,
      what: 'goto',
    });
    return null;
  } catch (error) {
    const message = (error as Error).message;
    const known = explainNavigation(message);
    if (!known && /Timeout|did not answer/.test(message))
      return `${oneLine(url, 160)} did not finish loading within ${timeoutMs / 1000} s; this is what there is`;
    throw new WebwrightError({
      code: 'START_URL',
      what: `The start URL cannot be opened: ${known?.meaning ?? 'the browser refused it'}`,
      seen: `${oneLine(url, 300)} → ${oneLine(message, 200)}`,
      remedy: known?.remedy ?? 'open the address in a browser and correct startUrls of the task',
    });
  }
}
