import { isIP, isIPv6, connect as netConnect, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import { type Target, targetText } from './target.ts';

const connectMs = 15_000;
const maxReplyBytes = 16_384;

/** A proxy that the user configured in Playwright; everything that is allowed goes through it. */
export interface Upstream {
  protocol: 'http:' | 'https:';
  host: string;
  port: number;
  /** Value of `proxy-authorization`, a secret; null without credentials. */
  authorization: string | null;
  /** Hosts that are reached without it. */
  bypass(host: string): boolean;
}

/** Connects to one of the addresses that were checked, and to nothing else: no name is resolved here. */
export function dial({ addresses, port }: { addresses: readonly string[]; port: number }): Promise<Socket> {
  if (addresses.length === 0) return Promise.reject(new Error('its name does not resolve'));
  const pinned = addresses.map(address => ({ address, family: isIPv6(address) ? 6 : 4 }));
  return connected(
    netConnect({
      host: 'checked.invalid',
      port,
      autoSelectFamily: true,
      lookup: (_host, options, done) => {
        if (options.all) done(null, pinned);
        else done(null, pinned[0]!.address, pinned[0]!.family);
      },
    }),
  );
}

/** A connection to the upstream proxy itself. */
export function dialUpstream({ protocol, host, port }: Upstream): Promise<Socket> {
  if (protocol === 'http:') return connected(netConnect({ host, port }));
  return connected(tlsConnect({ host, port, ...(isIP(host) ? {} : { servername: host }) }), 'secureConnect');
}

/** A tunnel through the upstream proxy, which resolves the name itself. */
export async function tunnelUpstream({ upstream, target }: { upstream: Upstream; target: Target }): Promise<Socket> {
  const socket = await dialUpstream(upstream);
  const host = targetText(target);
  const authorization = upstream.authorization === null ? '' : `proxy-authorization: ${upstream.authorization}\r\n`;
  socket.write(`CONNECT ${host} HTTP/1.1\r\nhost: ${host}\r\n${authorization}\r\n`);
  const { head, rest } = await readHead(socket);
  const status = /^HTTP\/1\.\d (\d{3})/.exec(head)?.[1];
  if (status !== '200') {
    socket.destroy();
    throw new Error(`the proxy of the Playwright config answers ${status ?? 'nothing readable'}`);
  }
  if (rest.length > 0) socket.unshift(rest);
  return socket;
}

function readHead(socket: Socket): Promise<{ head: string; rest: Buffer }> {
  return new Promise((resolve, reject) => {
    let seen = Buffer.alloc(0);
    const fail = (error?: Error) => {
      socket.destroy();
      reject(error ?? new Error('the proxy of the Playwright config closed the connection'));
    };
    const onEnd = () => fail();
    const onTimeout = () => fail(new Error('the proxy of the Playwright config does not answer'));
    const onData = (chunk: Buffer) => {
      seen = Buffer.concat([seen, chunk]);
      const end = seen.indexOf('\r\n\r\n');
      if (end < 0 && seen.length <= maxReplyBytes) return;
      if (end < 0) return fail();
      socket.pause();
      socket.off('data', onData).off('error', fail).off('close', onEnd).off('timeout', onTimeout).setTimeout(0);
      resolve({ head: seen.subarray(0, end).toString('latin1'), rest: seen.subarray(end + 4) });
    };
    socket.on('data', onData).on('error', fail).on('close', onEnd).setTimeout(connectMs, onTimeout);
  });
}

function connected(socket: Socket, event = 'connect'): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy();
      reject(error);
    };
    const onTimeout = () => fail(new Error('no connection in time'));
    socket.setTimeout(connectMs, onTimeout);
    socket.once('error', fail);
    socket.once(event, () => {
      socket.off('error', fail).off('timeout', onTimeout).setTimeout(0);
      resolve(socket.setNoDelay());
    });
  });
}
