import type { EgressMode } from '../../core/egress.ts';
import { type AddressKind, addressKind } from './addresses.ts';
import type { AllowRule } from './allow.ts';
import type { Target } from './target.ts';

/** Where to connect: `addresses` are checked, and only they are dialled. Or why not, in words. */
export type Decision =
  | {
      allowed: true;
      addresses: string[];
      port: number;
      /** A server of this process: never reached through another proxy. */
      local: boolean;
    }
  | { allowed: false; reason: string };

export interface EgressPolicy {
  decide(target: Target): Promise<Decision>;
}

/** All addresses of a host; null when only another proxy can know them, which then decides for itself. Rejects when there are none. */
export type Resolve = (host: string) => Promise<string[] | null>;

const openPorts: readonly number[] = [80, 443, 8080, 8443];

const words: Record<AddressKind, string> = {
  public: 'a public address',
  loopback: 'an address of this machine',
  private: 'an address of a private network',
  'link-local': 'a link-local address, as metadata services have',
  reserved: 'an address that is nobody’s on the public internet',
};

/**
 * The policy of one attempt. Names are decided first, without asking DNS for what is refused anyhow; then every address a name resolves to. A
 * named host may resolve to this machine or a private network, unless it was public before: that is rebinding.
 */
export function createPolicy({
  mode,
  rules,
  sites,
  resolve,
}: {
  mode: EgressMode;
  rules: readonly AllowRule[];
  /** Hosts that a server of this process answers for, on port 80, and its port on loopback. */
  sites: { hosts: readonly string[]; port: number } | null;
  resolve: Resolve;
}): EgressPolicy {
  /** Names that have resolved to public addresses in this attempt. */
  const wasPublic = new Set<string>();
  const no = (reason: string): Decision => ({ allowed: false, reason });
  return {
    async decide({ host, port }) {
      const site = siteDecision({ host, port, sites });
      if (site) return site;
      if (mode === 'off') return no('egress is off');
      const named = rules.filter(rule => rule.host(host));
      if (mode === 'allow-list' && named.length === 0) return no('it is not on the list of allowed hosts');
      const byPort = named.some(rule => rule.port(port));
      if (!byPort && (mode === 'allow-list' || !openPorts.includes(port))) return no(`port ${port} is none that the task names for it`);
      const addresses = await resolve(host).catch(() => []);
      if (addresses === null) return { allowed: true, addresses: [], port, local: false };
      if (addresses.length === 0) return no('its name does not resolve');
      for (const address of addresses) {
        const kind = addressKind(address) ?? 'reserved';
        if (kind === 'public') continue;
        const byAddress = rules.some(rule => rule.address(address) && rule.port(port));
        const byName = byPort && (kind === 'loopback' || kind === 'private') && !wasPublic.has(host);
        if (!byAddress && !byName) return no(`it is ${words[kind]}, which the task does not name`);
      }
      if (addresses.every(address => addressKind(address) === 'public')) wasPublic.add(host);
      return { allowed: true, addresses, port, local: false };
    },
  };
}

/** Between attempts, for the author's own lines: everything is allowed, and the embedded sites are where they are. */
export function openPolicy({ sites, resolve }: Pick<Parameters<typeof createPolicy>[0], 'sites' | 'resolve'>): EgressPolicy {
  return {
    async decide({ host, port }) {
      const site = siteDecision({ host, port, sites });
      if (site) return site;
      const addresses = await resolve(host).catch(() => []);
      return addresses?.length === 0
        ? { allowed: false, reason: 'its name does not resolve' }
        : { allowed: true, addresses: addresses ?? [], port, local: false };
    },
  };
}

function siteDecision({ host, port, sites }: Target & Pick<Parameters<typeof createPolicy>[0], 'sites'>): Decision | null {
  if (!sites?.hosts.includes(host)) return null;
  return port === 80
    ? { allowed: true, addresses: ['127.0.0.1'], port: sites.port, local: true }
    : { allowed: false, reason: 'this site answers on port 80 only' };
}
