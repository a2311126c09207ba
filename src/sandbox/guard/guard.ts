import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AllowGroup } from '../../core/allow.ts';
import { type GuardedConnection, type GuardLimits, type GuardRules, guardConnection } from './connection.ts';
import type { GuardKind } from './policy.ts';
import { createRefusals, type Refusal } from './refusals.ts';

/** What a guard lets through. */
export interface GuardProfile {
  kind: GuardKind;
  /** Groups that the test's author has opened (`environment.allow`). */
  allow?: readonly AllowGroup[];
  /** Contexts that exist and are shown from the start; see {@link Guard.permit} for later ones. */
  contexts?: readonly string[];
  /** Pages that cannot be closed. */
  keptPages?: readonly string[];
}

/** A filter between code written by a model and a browser. */
export interface Guard {
  /** Where the code connects to (`chromium.connect`). */
  address: string;
  /** The folder of its socket: the only thing a box must show. */
  folder: string;
  /** What was refused so far. */
  refusals(): Refusal[];
  /** Starts counting calls anew. */
  beginStep(): void;
  /** Shows a context of the harness to the code. */
  permit(contextGuid: string): void;
  /** Ends all connections and takes back what was permitted later. */
  disconnect(): void;
  close(): Promise<void>;
}

/**
 * 64 MB, depth 100 as in reliability.md §7.2. Its 200 calls at a time and 2,000 in a step are what `Promise.all` over a long list, and a loop
 * over the cells of a table, need in honest code; here they only stop what never ends.
 */
export const defaultGuardLimits: GuardLimits = { frameBytes: 64_000_000, depth: 100, callsInFlight: 1_000, callsPerStep: 10_000 };

const maxConnections = 50;

/**
 * Opens a socket that stands for the browser's own and passes on only what the policy allows (policy.ts): unknown calls, paths of the
 * host, addresses other than of the web, other contexts, closing what the test needs: all refused, with words that the model can act on. A message that is
 * none, or one of more than 64 MB, ends its connection. What passes is passed on byte for byte.
 *
 * @example
 * const { endpoint } = await browser.bind('webwright');
 * const guard = await startGuard({ target: endpoint, profile: { kind: 'live', contexts: [contextGuid], keptPages: [pageGuid] } });
 * const seen = await chromium.connect(guard.address); // in another process
 */
export async function startGuard({
  target,
  profile,
  folder: given,
  limits: some,
  note = () => {},
  onEnded = reason => note(`guard: ${reason}`),
}: {
  /** Path of the browser's socket. */
  target: string;
  profile: GuardProfile;
  /** Where the socket is put; default: a private folder, removed at the end. */
  folder?: string;
  limits?: Partial<GuardLimits>;
  /** Takes what should stand in the record. */
  note?: (text: string) => void;
  /** Told why a connection was ended. */
  onEnded?: (reason: string) => void;
}): Promise<Guard> {
  const { kind, allow = [], contexts = [], keptPages = [] } = profile;
  const limits = { ...defaultGuardLimits, ...some };
  const folder = given ?? mkdtempSync(join(tmpdir(), 'webwright-guard-'));
  const name = `browser-${randomBytes(4).toString('hex')}`;
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\webwright-${name}` : join(folder, `${name}.sock`);
  const connections = new Set<GuardedConnection>();
  const later = new Set<string>();
  let calls = 0;
  const refusals = createRefusals({
    onFirst: ({ call, group, reason }) => note(`guard: refused ${call}${group ? ` (group ${group})` : ''}: ${reason}`),
  });
  const rules: GuardRules = {
    kind,
    allow,
    limits,
    permitted: guid => contexts.includes(guid) || later.has(guid),
    isKept: guid => keptPages.includes(guid),
    countCall: () => {
      calls += 1;
      return calls <= limits.callsPerStep;
    },
    refused: refusals.add,
    closed: reason => onEnded(`the connection to the browser was ended: ${reason}`),
  };
  const server = createServer(child => {
    if (connections.size >= maxConnections) {
      rules.closed(`more than ${maxConnections} at a time`);
      child.destroy();
      return;
    }
    const connection = guardConnection({ child, target, rules, onClose: () => connections.delete(connection) });
    connections.add(connection);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address, resolve);
  });
  const disconnect = () => {
    for (const connection of [...connections]) connection.close();
    later.clear();
  };

  return {
    address,
    folder,
    refusals: refusals.list,
    beginStep() {
      calls = 0;
    },
    permit(contextGuid) {
      later.add(contextGuid);
      for (const connection of connections) connection.show(contextGuid);
    },
    disconnect,
    async close() {
      disconnect();
      await new Promise(resolve => server.close(resolve));
      if (given === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}
