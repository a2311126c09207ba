import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { Resolve } from './policy.ts';

const resolveMs = 10_000;

/** What needs no resolver: an IP address is its own, `localhost` and what is below it is loopback (RFC 6761). */
export function resolvedByItself(host: string): string[] | null {
  if (isIP(host)) return [host];
  return host === 'localhost' || host.endsWith('.localhost') ? ['127.0.0.1', '::1'] : null;
}

/** All addresses of a host by the system's resolver. */
export const systemResolve: Resolve = async host => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${resolveMs} ms`)), resolveMs);
  });
  try {
    const found = await Promise.race([lookup(host, { all: true }), late]);
    return found.map(({ address }) => address);
  } finally {
    clearTimeout(timer);
  }
};
