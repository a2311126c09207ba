import type { EgressMode } from '../../core/egress.ts';
import { allowRule, ruleFor } from './allow.ts';
import { createDecisionLog, type HostDecisions } from './decisions.ts';
import type { Upstream } from './dial.ts';
import { createPolicy, type Decision, type EgressPolicy, openPolicy, type Resolve } from './policy.ts';
import { type EgressProxy, type ProxyClient, startProxy } from './proxy.ts';
import { resolvedByItself, systemResolve } from './resolve.ts';
import { type Target, urlTarget } from './target.ts';

/** The way out of one worker: its browser's, and its boxes'. */
export interface Egress {
  /** For {@link proxyLaunchOptions}; whoever connects to it needs the credential. */
  proxy: Pick<EgressProxy, 'port' | 'credential'>;
  /** Another proxy that everything goes through; null for none. Returns the one before. */
  setUpstream(upstream: Upstream | null): Upstream | null;
  /** Puts the policy of an attempt into force until its `end`. Refuses what `allow` cannot mean with CONFIG_INVALID. */
  begin(options: { mode: EgressMode; allow: readonly string[]; urls: readonly string[] }): AttemptEgress;
  close(): Promise<void>;
}

/** The egress of one attempt. */
export interface AttemptEgress {
  mode: EgressMode;
  /** A way out for a box that has no network, until `end`: a Unix socket that needs no credential. */
  listen(path: string): Promise<void>;
  /** Refusals since the last call, one line a host, for an observation. */
  takeRefusals(): string[];
  /** Why a URL would be refused whatever its name resolves to; null when it would not be. */
  refusalOf(url: string): Promise<string | null>;
  hosts(): HostDecisions[];
  end(): void;
}

/**
 * Starts the proxy of a worker. While no attempt runs it is open, since then only lines of the test's author do anything; while attempts run, the
 * browser may do what all of their policies allow, and a box what its own allows.
 *
 * @example
 * const egress = await startEgress({ sites: null });
 * const attempt = egress.begin({ mode: 'public', allow: [], urls: ['https://shop.example/'] });
 * // … attempt.takeRefusals() → ['Refused by the egress policy: 127.0.0.1:8080: it is an address of this machine, …']
 * attempt.end();
 */
export async function startEgress({
  sites,
  resolve = systemResolve,
  trustsWorker = true,
}: {
  /** Hosts that a server of this process answers for, on port 80, and its port on loopback. */
  sites: { hosts: readonly string[]; port: number } | null;
  resolve?: Resolve;
  /** Connections of this process need no credential, as `context.request` has none. */
  trustsWorker?: boolean;
}): Promise<Egress> {
  let upstream: Upstream | null = null;
  /** An upstream proxy may know names that this machine does not. */
  const resolveHere: Resolve = async host => resolvedByItself(host) ?? (upstream ? resolve(host).catch(() => null) : resolve(host));
  const open = openPolicy({ sites, resolve: resolveHere });
  const running = new Set<ProxyClient>();
  const browser: ProxyClient = {
    async decide(target) {
      if (running.size === 0) return open.decide(target);
      const decisions = await Promise.all([...running].map(client => client.decide(target)));
      return decisions.find(decision => !decision.allowed) ?? (decisions[0] as Decision);
    },
  };
  const proxy = await startProxy({ client: browser, trustsWorker, upstream: () => upstream });
  return {
    proxy,
    setUpstream(next) {
      const before = upstream;
      upstream = next;
      return before;
    },
    begin({ mode, allow, urls }) {
      const named = urls.map(urlTarget).filter((target): target is Target => target !== null);
      const rules = [...allow.map(allowRule), ...named.map(ruleFor)];
      const policy: EgressPolicy = createPolicy({ mode, rules, sites, resolve: resolveHere });
      const log = createDecisionLog();
      const client: ProxyClient = {
        async decide(target) {
          const decision = await policy.decide(target);
          log.add(target, decision.allowed ? null : decision.reason);
          return decision;
        },
      };
      const doors: { close(): void }[] = [];
      running.add(client);
      return {
        mode,
        async listen(path) {
          doors.push(await proxy.listen({ path, client }));
        },
        takeRefusals: log.takeRefusals,
        async refusalOf(url) {
          const target = urlTarget(url);
          if (!target) return null;
          const decision = await policy.decide(target);
          return decision.allowed ? null : decision.reason;
        },
        hosts: log.hosts,
        end() {
          running.delete(client);
          for (const door of doors) door.close();
        },
      };
    },
    close: () => proxy.close(),
  };
}
