import { BlockList, isIP } from 'node:net';
import { WebwrightError } from '../../core/errors.ts';
import { unwrapped } from './addresses.ts';
import type { Target } from './target.ts';

/** Ports that need not be named. */
const webPorts: readonly number[] = [80, 443, 8080, 8443];

/** One host, or hosts, that a task names. */
export interface AllowRule {
  /** Matches the name a client asks for. */
  host(host: string): boolean;
  /** Matches a resolved address that only a rule for addresses can open: link-local, reserved. */
  address(address: string): boolean;
  port(port: number): boolean;
}

/**
 * One entry of `environment.egress_allow`: a host name, `*.domain` (its subdomains), an IP address or a range like `10.1.0.0/16`; with `:port` that
 * port only, with `:*` every port, otherwise the ports of the web (80, 443, 8080, 8443). Refuses anything else with CONFIG_INVALID.
 *
 * @example
 * allowRule('api.example.org:8443');
 * allowRule('[::1]:3000');
 */
export function allowRule(entry: string): AllowRule {
  const match = /^(\*\.)?(\[[\da-f:.]+\]|[^\s:@/\\?#%*[\]]+|[\da-f:.]{2,})(?:\/(\d{1,3}))?(?::(\*|\d{1,5}))?$/i.exec(entry.trim());
  const [, wild, name = '', prefix, port] = match ?? [];
  const address = unwrapped(name);
  const family = isIP(address) === 4 ? 'ipv4' : isIP(address) === 6 ? 'ipv6' : null;
  const ports = port === undefined ? webPorts : port === '*' ? null : [Number(port)];
  const isName = family === null && prefix === undefined && URL.canParse(`http://${name}/`);
  if (!match || !(isName || (family && !wild)) || Number(port ?? 1) > 65_535 || Number(prefix ?? 0) > (family === 'ipv4' ? 32 : 128))
    throw notAHost(entry);
  const hasPort = (wanted: number) => ports === null || ports.includes(wanted);
  if (family) {
    const range = new BlockList();
    range.addSubnet(address, Number(prefix ?? (family === 'ipv4' ? 32 : 128)), family);
    const covers = (host: string) => {
      const kind = isIP(host);
      return kind !== 0 && range.check(host, kind === 4 ? 'ipv4' : 'ipv6');
    };
    return { host: covers, address: covers, port: hasPort };
  }
  const wanted = new URL(`http://${name}/`).hostname.replace(/\.$/, '');
  return { host: host => (wild ? host.endsWith(`.${wanted}`) : host === wanted), address: () => false, port: hasPort };
}

/** A rule for the host and port of a URL. 80 and 443 stand for each other, since sites redirect from one to the other. */
export function ruleFor({ host, port }: Target): AllowRule {
  const pair = [80, 443];
  return {
    host: other => other === host,
    address: address => address === host,
    port: other => other === port || (pair.includes(port) && pair.includes(other)),
  };
}

function notAHost(entry: string): WebwrightError {
  return new WebwrightError({
    code: 'CONFIG_INVALID',
    what: 'environment.egress_allow takes hosts',
    seen: JSON.stringify(entry.slice(0, 200)),
    remedy: 'shop.example, *.shop.example, shop.example:8443, 10.1.0.0/16, [::1]:3000 or localhost:*',
  });
}
