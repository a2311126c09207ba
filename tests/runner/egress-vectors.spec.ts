import { execFile } from 'node:child_process';
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';
import { findProgram } from '../../src/sandbox/find-program.ts';
import { hasBwrap, noBwrap } from '../unit/sandbox/has-bwrap.ts';

const repository = join(import.meta.dirname, '..', '..');

interface Seen {
  /** Vectors that reached the second host. */
  seen: string[];
  /** Names that were asked of the DNS server. */
  names: string[];
  /** Hosts that the proxy refused. */
  refused: string[];
}

/** The rows of reliability.md §3: what gets out without the proxy, in this network, and must not with it. */
const rows: [id: string, title: string, vectors: string[]][] = [
  [
    'F1',
    'fetch, image, style, EventSource, beacon, ping, CSP report, literal address',
    ['fetch', 'literal', 'img', 'css', 'events', 'beacon', 'ping', 'csp'].map(name => `f1-${name}`),
  ],
  [
    'F2',
    'iframe, form, top navigation, refresh, popup, download',
    ['iframe', 'form', 'top', 'refresh', 'popup', 'download'].map(name => `f2-${name}`),
  ],
  ['F3', 'server redirect of a navigation or a fetch', ['f3-fetch', 'f3-navigation']],
  ['F4', 'WebSocket in a page', ['f4-websocket']],
  ['F5', 'WebSocket in a worker', ['f5-websocket']],
  ['F6', 'fetch in a dedicated and in a service worker', ['f6-worker', 'f6-service']],
  ['F7', 'fetch in a shared worker', ['f7-shared']],
  ['F8', 'beacon and keepalive when the page ends', ['f8-beacon', 'f8-keepalive']],
  ['F9', 'WebRTC by address', ['stun-ip']],
  ['F10', 'WebRTC by name', ['stun-name']],
  ['F11', 'WebTransport', ['webtransport']],
  ['F12', 'context.request', ['f12-request']],
];

test.describe.configure({ mode: 'default' });
test.skip(!hasBwrap, noBwrap);

const searchPath = `${process.env.PATH ?? ''}:/usr/sbin:/sbin`;
const ip = findProgram({ name: 'ip', searchPath });
/** WebRTC uses no loopback interface, so there must be another one. */
const webInterface = [
  `${ip} link add web type veth peer name peer`,
  `${ip} link set peer up`,
  `${ip} addr add 198.18.0.1/24 dev web`,
  `${ip} link set web up`,
].join(' && ');

let open: Seen;
let held: Seen;

test.beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-vectors-'));
  writeFileSync(join(folder, 'resolv.conf'), 'nameserver 127.0.0.1\noptions timeout:1\n');
  const run = async (mode: string): Promise<Seen> => {
    const { stdout } = await promisify(execFile)(
      'bwrap',
      [
        ...'--unshare-user --uid 0 --gid 0 --unshare-net --unshare-pid --die-with-parent'.split(' '),
        ...'--cap-add CAP_NET_BIND_SERVICE --cap-add CAP_NET_ADMIN --bind / / --dev /dev --proc /proc'.split(' '),
        ...['--ro-bind', join(folder, 'resolv.conf'), realpathSync('/etc/resolv.conf')],
        ...['--', 'sh', '-c', `${webInterface}; exec "$@"`, 'sh', process.execPath],
        ...[join(import.meta.dirname, 'egress-vectors', 'probe.mjs'), repository, mode],
      ],
      { timeout: 90_000 },
    );
    return JSON.parse(stdout) as Seen;
  };
  [open, held] = await Promise.all([run('open'), run('held')]);
  rmSync(folder, { recursive: true });
});

for (const [id, title, vectors] of rows)
  test(`${id} ${title}: nothing reaches the second host, and no name is asked`, () => {
    test.skip(!ip && vectors.some(vector => vector.startsWith('stun')), 'needs `ip` (iproute2) to make an interface');
    // Each way is one: without the proxy it leads out.
    expect(open.seen).toEqual(expect.arrayContaining(vectors));
    expect(held.seen).toEqual([]);
    expect(held.names).toEqual([]);
  });

test('what was refused is known by host', () => {
  expect(held.refused).toEqual(
    expect.arrayContaining(['f1-fetch.evil.test:80', 'f1-https.evil.test:443', 'f4.evil.test:80', 'f12.evil.test:80', '127.0.0.2:80']),
  );
});
