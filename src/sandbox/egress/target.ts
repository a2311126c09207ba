import { isIPv6 } from 'node:net';
import { unwrapped } from './addresses.ts';

/** Where a client wants to go, in one spelling: lower case, punycode, no trailing dot, an IP address without brackets. */
export interface Target {
  host: string;
  port: number;
}

/**
 * The target of `CONNECT host:port`, or null for anything but a plain host and port. What is read here is what is dialled: there is no
 * second reading that could differ.
 *
 * @example
 * connectTarget('SHOP.example.:443'); // { host: 'shop.example', port: 443 }
 * connectTarget('user@shop.example:443'); // null
 */
export function connectTarget(authority: string): Target | null {
  const match = /^(\[[\da-f:.]+\]|[^\s:@/\\?#%[\]]+):(\d{1,5})$/i.exec(authority);
  return match ? target({ host: match[1]!, port: Number(match[2]) }) : null;
}

/**
 * The URL of a proxied plain request (`GET http://host/path`), or null: other schemes, a user name, a relative form, and spellings that
 * two parsers may read differently are refused.
 */
export function requestTarget(requestUrl: string): { target: Target; url: URL } | null {
  const [, authority] = /^http:\/\/([^\s/\\?#@%]+)(?:[/?][!-~]*)?$/i.exec(requestUrl) ?? [];
  if (authority === undefined || !URL.canParse(requestUrl)) return null;
  const url = new URL(requestUrl);
  const found = target({ host: authority.replace(/:\d*$/, ''), port: Number(url.port || 80) });
  return found && { target: found, url };
}

/** Host and port of a URL that a task names; null when it is not one of the web. */
export function urlTarget(text: string): Target | null {
  if (!URL.canParse(text)) return null;
  const { protocol, hostname, port } = new URL(text);
  if (protocol !== 'http:' && protocol !== 'https:') return null;
  return target({ host: hostname, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
}

function target({ host, port }: Target): Target | null {
  if (port < 1 || port > 65_535 || !URL.canParse(`http://${host}/`)) return null;
  const name = new URL(`http://${host}/`).hostname.replace(/\.$/, '');
  const bare = name.replace(/^\[|\]$/g, '');
  if (isIPv6(bare)) return { host: unwrapped(bare), port };
  return /^[a-z\d_-]+(\.[a-z\d_-]+)*$/.test(name) && name.length <= 253 ? { host: name, port } : null;
}

/** For messages: `host:port`, an IPv6 address in brackets. */
export function targetText({ host, port }: Target): string {
  return `${isIPv6(host) ? `[${host}]` : host}:${port}`;
}

/** Value of the `Host` header of a plain request. */
export function hostHeader(target: Target): string {
  return targetText(target).replace(/:80$/, '');
}
