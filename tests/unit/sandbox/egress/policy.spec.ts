import { expect, test } from '@playwright/test';
import { addressKind } from '../../../../src/sandbox/egress/addresses.ts';
import { allowRule, ruleFor } from '../../../../src/sandbox/egress/allow.ts';
import { createPolicy, type EgressPolicy } from '../../../../src/sandbox/egress/policy.ts';
import { connectTarget, requestTarget, urlTarget } from '../../../../src/sandbox/egress/target.ts';

const dns: Record<string, string[]> = {
  'shop.example': ['93.184.215.14', '2606:2800:220::1'],
  'rebinding.example': ['93.184.215.14', '127.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'intranet.example': ['10.1.2.3'],
  'mapped.example': ['::ffff:127.0.0.1'],
};

function policy({
  mode = 'public',
  allow = [],
  urls = [],
  resolve = async host => dns[host] ?? (addressKind(host) ? [host] : []),
}: Partial<Omit<Parameters<typeof createPolicy>[0], 'rules' | 'sites'>> & { allow?: string[]; urls?: string[] } = {}): EgressPolicy {
  const rules = [...allow.map(allowRule), ...urls.map(url => ruleFor(urlTarget(url)!))];
  return createPolicy({ mode, rules, sites: { hosts: ['shop.localhost'], port: 4000 }, resolve });
}

async function answer(given: EgressPolicy, authority: string): Promise<string> {
  const decision = await given.decide(connectTarget(authority)!);
  return decision.allowed ? `${decision.addresses.join(',')}:${decision.port}` : decision.reason;
}

for (const [address, kind] of Object.entries({
  '127.0.0.1': 'loopback',
  '127.255.1.1': 'loopback',
  '::1': 'loopback',
  '::ffff:127.0.0.1': 'loopback',
  '::ffff:7f00:1': 'loopback',
  '64:ff9b::7f00:1': 'loopback',
  '10.0.0.1': 'private',
  '172.31.255.255': 'private',
  '172.32.0.1': 'public',
  '192.168.1.1': 'private',
  '100.64.0.1': 'private',
  '100.100.100.200': 'private',
  'fd00:ec2::254': 'private',
  '169.254.169.254': 'link-local',
  '::ffff:169.254.169.254': 'link-local',
  'fe80::1%eth0': 'link-local',
  '0.0.0.0': 'reserved',
  '::': 'reserved',
  '::127.0.0.1': 'reserved',
  '224.0.0.1': 'reserved',
  '255.255.255.255': 'reserved',
  'ff02::1': 'reserved',
  '2002:7f00:1::': 'reserved',
  '2001:0:7f00:1::': 'reserved',
  '8.8.8.8': 'public',
  '64:ff9b::808:808': 'public',
  '2606:4700::1111': 'public',
  'shop.example': null,
})) {
  test(`${address} is ${kind}`, () => {
    expect(addressKind(address)).toBe(kind);
  });
}

test('F13 a name that resolves to loopback, link-local or a private network is refused unless the task names it', async () => {
  const open = policy();
  expect(await answer(open, 'shop.example:443')).toBe('93.184.215.14,2606:2800:220::1:443');
  expect(await answer(open, 'rebinding.example:443')).toMatch(/address of this machine/);
  expect(await answer(open, 'metadata.example:80')).toMatch(/link-local/);
  expect(await answer(open, 'intranet.example:443')).toMatch(/private network/);
  expect(await answer(open, 'mapped.example:443')).toMatch(/address of this machine/);
  expect(await answer(open, 'nowhere.example:443')).toMatch(/does not resolve/);
  // Named in one of the ways there are.
  expect(await answer(policy({ allow: ['intranet.example'] }), 'intranet.example:443')).toBe('10.1.2.3:443');
  expect(await answer(policy({ allow: ['10.1.0.0/16'] }), 'intranet.example:443')).toBe('10.1.2.3:443');
  expect(await answer(policy({ urls: ['https://intranet.example/start'] }), 'intranet.example:443')).toBe('10.1.2.3:443');
  // A name opens no metadata service; its address does.
  expect(await answer(policy({ allow: ['metadata.example'] }), 'metadata.example:80')).toMatch(/link-local/);
  expect(await answer(policy({ allow: ['169.254.169.254'] }), 'metadata.example:80')).toBe('169.254.169.254:80');
});

test('F13 a named host that was public may not turn private: rebinding', async () => {
  const answers = [['93.184.215.14'], ['127.0.0.1']];
  const own = policy({ urls: ['http://shop.example/'], resolve: async () => answers.shift() ?? [] });
  expect(await answer(own, 'shop.example:80')).toBe('93.184.215.14:80');
  expect(await answer(own, 'shop.example:80')).toMatch(/address of this machine/);
});

test('a named host is open on the ports that are named, and a name of this machine opens no other server on it', async () => {
  const own = policy({
    urls: ['http://localhost:3000/'],
    allow: ['localhost:*', 'shop.example:9443'].slice(1),
    resolve: async () => ['127.0.0.1'],
  });
  expect(await answer(own, 'localhost:3000')).toBe('127.0.0.1:3000');
  expect(await answer(own, 'localhost:5432')).toMatch(/port 5432/);
  expect(await answer(own, 'localhost:8080')).toMatch(/address of this machine/);
  expect(await answer(policy({ allow: ['localhost:*'], resolve: async () => ['127.0.0.1'] }), 'localhost:5432')).toBe('127.0.0.1:5432');
});

test('an allow-list asks DNS only for what is on it', async () => {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return dns[host] ?? [];
  };
  const list = policy({ mode: 'allow-list', allow: ['shop.example', '*.cdn.example'], resolve });
  expect(await answer(list, 'shop.example:443')).toContain('93.184.215.14');
  expect(await answer(list, 'evil.example:443')).toMatch(/not on the list/);
  expect(await answer(list, 'cdn.example:443')).toMatch(/not on the list/);
  expect(await answer(list, 'a.cdn.example:443')).toMatch(/does not resolve/);
  expect(asked).toEqual(['shop.example', 'a.cdn.example']);
});

test('off leaves the embedded sites, which are where their server is', async () => {
  const off = policy({ mode: 'off', allow: ['shop.example'] });
  expect(await answer(off, 'shop.example:443')).toBe('egress is off');
  expect(await answer(off, 'shop.localhost:80')).toBe('127.0.0.1:4000');
  expect(await answer(off, 'shop.localhost:443')).toMatch(/port 80 only/);
});

test('F14 one spelling for a host, and no ports but those of the web', async () => {
  const spellings: [authority: string, target: string | null][] = [
    ['SHOP.Example:443', 'shop.example:443'],
    ['shop.example.:443', 'shop.example:443'],
    ['b\u00fccher.example:443', 'xn--bcher-kva.example:443'],
    ['xn--bcher-kva.example:443', 'xn--bcher-kva.example:443'],
    ['0x7f.1:80', '127.0.0.1:80'],
    ['2130706433:80', '127.0.0.1:80'],
    ['017700000001:80', '127.0.0.1:80'],
    ['[::ffff:127.0.0.1]:80', '127.0.0.1:80'],
    ['[0:0:0:0:0:0:0:1]:80', '::1:80'],
    ['user@shop.example:443', null],
    ['user:pw@shop.example:443', null],
    ['shop.example', null],
    ['shop.example:0', null],
    ['shop.example:65536', null],
    ['shop.example:443/path', null],
    ['shop.example:443:443', null],
    ['shop%2eexample:443', null],
    ['shop.example\\:443', null],
    ['shop.example :443', null],
    ['shop..example:443', null],
    ['[::1%25lo]:80', null],
    [':443', null],
    ['', null],
  ];
  expect(spellings.map(([authority]) => connectTarget(authority)).map(found => found && `${found.host}:${found.port}`)).toEqual(
    spellings.map(([, target]) => target),
  );
  for (const port of [22, 25, 3306, 6379, 9222, 65_535]) expect(await answer(policy(), `shop.example:${port}`)).toContain(`port ${port}`);
  for (const port of [80, 443, 8080, 8443]) expect(await answer(policy(), `shop.example:${port}`)).toContain('93.184.215.14');
});

test('F14 a plain request names http://host/ in a form that has one reading', () => {
  const forms: [url: string, target: string | null][] = [
    ['http://SHOP.example/a?b=c', 'shop.example:80'],
    ['HTTP://shop.example', 'shop.example:80'],
    ['http://shop.example.:8080/', 'shop.example:8080'],
    ['http://[::1]/', '::1:80'],
    ['https://shop.example/', null],
    ['ftp://shop.example/', null],
    ['/path', null],
    ['*', null],
    ['http:shop.example/', null],
    ['http:///shop.example/', null],
    ['http://user@shop.example/', null],
    ['http://shop.example\\@evil.example/', null],
    ['http://shop.example/a b', null],
    ['http://shop.example#@evil.example/', null],
    ['http://shop%2eexample/', null],
  ];
  expect(forms.map(([url]) => requestTarget(url)?.target).map(found => (found ? `${found.host}:${found.port}` : null))).toEqual(
    forms.map(([, target]) => target),
  );
});

for (const entry of [
  'http://shop.example/',
  'shop.example/a',
  'user@shop.example',
  'a b',
  '',
  '10.0.0.0/33',
  '*.10.0.0.1',
  'shop.example:70000',
  '*',
])
  test(`egress_allow refuses ${JSON.stringify(entry)}`, () => {
    expect(() => allowRule(entry)).toThrow(/egress_allow takes hosts.*try: {2}shop\.example/s);
  });
