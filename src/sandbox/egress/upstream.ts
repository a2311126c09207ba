import { WebwrightError } from '../../core/errors.ts';
import type { Upstream } from './dial.ts';

/**
 * The proxy of a Playwright config as one that ours goes through. `bypass` means what it means to Playwright: domains and what is below them.
 *
 * @example
 * upstreamOf({ server: 'http://proxy.example:3128', bypass: '.intranet.example', username: 'mia', password });
 */
export function upstreamOf({
  server,
  bypass = '',
  username,
  password = '',
}: {
  server: string;
  bypass?: string;
  username?: string;
  password?: string;
}): Upstream {
  const text = /^\w+:\/\//.test(server) ? server : `http://${server}`;
  const url = URL.canParse(text) ? new URL(text) : null;
  const protocol = url?.protocol;
  if (!url || (protocol !== 'http:' && protocol !== 'https:'))
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: 'The egress policy can go through an HTTP or HTTPS proxy only',
      seen: `proxy.server: ${(url?.protocol ?? server).slice(0, 100)}`,
      remedy: 'name an http:// or https:// proxy, or give up the egress policy with use: { egressProxy: false }',
    });
  const domains = bypass.split(',').flatMap(part => (part.trim() ? [part.trim().replace(/^\*?\.?/, '.')] : []));
  return {
    protocol,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (protocol === 'https:' ? 443 : 80)),
    authorization: username === undefined ? null : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`,
    bypass: host => domains.some(domain => `.${host}`.endsWith(domain)),
  };
}
