import { BlockList, isIPv4, isIPv6 } from 'node:net';

/** What an address stands for. Only `public` ones are open to everybody who names none. */
export type AddressKind = 'public' | 'loopback' | 'private' | 'link-local' | 'reserved';

/** IANA's special-purpose registries (RFC 6890 and its updates): what must not be reached from the open web, and what is nobody's. */
const special: [kind: AddressKind, family: 'ipv4' | 'ipv6', ranges: [net: string, prefix: number][]][] = [
  ['loopback', 'ipv4', [['127.0.0.0', 8]]],
  ['loopback', 'ipv6', [['::1', 128]]],
  [
    'private',
    'ipv4',
    [
      ['10.0.0.0', 8],
      ['172.16.0.0', 12],
      ['192.168.0.0', 16],
      ['100.64.0.0', 10], // carrier-grade NAT; also clouds' metadata, e.g. 100.100.100.200
    ],
  ],
  ['private', 'ipv6', [['fc00::', 7]]],
  ['link-local', 'ipv4', [['169.254.0.0', 16]]], // also the metadata service of most clouds
  [
    'link-local',
    'ipv6',
    [
      ['fe80::', 10],
      ['fec0::', 10],
    ],
  ],
  [
    'reserved',
    'ipv4',
    [
      ['0.0.0.0', 8],
      ['192.0.0.0', 24],
      ['192.0.2.0', 24],
      ['192.88.99.0', 24],
      ['198.18.0.0', 15],
      ['198.51.100.0', 24],
      ['203.0.113.0', 24],
      ['224.0.0.0', 4],
      ['240.0.0.0', 4],
    ],
  ],
  [
    'reserved',
    'ipv6',
    [
      ['::', 8], // unspecified, IPv4-compatible
      ['64:ff9b:1::', 48],
      ['100::', 64],
      ['2001::', 23], // Teredo and other protocols
      ['2001:db8::', 32],
      ['2002::', 16], // 6to4 carries an IPv4 address of anybody's choice
      ['3fff::', 20],
      ['5f00::', 16],
      ['ff00::', 8],
    ],
  ],
];

const lists = special.map(([kind, family, ranges]) => {
  const list = new BlockList();
  for (const [net, prefix] of ranges) list.addSubnet(net, prefix, family);
  return { kind, family, list };
});

/**
 * What an IP address stands for; `null` when it is none. An IPv4 address inside an IPv6 one (mapped, NAT64) counts as what it
 * is.
 *
 * @example
 * addressKind('::ffff:169.254.169.254'); // 'link-local'
 */
export function addressKind(address: string): AddressKind | null {
  const plain = unwrapped(address);
  const family = isIPv4(plain) ? 'ipv4' : isIPv6(plain) ? 'ipv6' : null;
  if (family === null) return null;
  return lists.find(entry => entry.family === family && entry.list.check(plain, family))?.kind ?? 'public';
}

/** An address in one spelling: without zone and brackets, an IPv4 address that is carried in IPv6 by itself. */
export function unwrapped(address: string): string {
  const bare = address.replace(/^\[|\]$/g, '').replace(/%.*$/, '');
  if (!isIPv6(bare)) return bare;
  const canonical = new URL(`http://[${bare}]`).hostname.slice(1, -1);
  const [, high, low] = /^(?:::ffff:|64:ff9b::)([\da-f]{1,4}):([\da-f]{1,4})$/.exec(canonical) ?? [];
  if (high === undefined || low === undefined) return canonical;
  const value = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map(shift => (value >>> shift) & 255).join('.');
}
