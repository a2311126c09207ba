import { lookup } from 'node:dns/promises';
import { connect } from 'node:net';
import { WebwrightError } from '../../core/errors.ts';

/**
 * Whether something listens where a URL points: null, or in words why not. A slow host is not an error; only a name that does not resolve
 * and a refused or unreachable connection are.
 */
export async function probeStartUrl(url: string, { timeoutMs = 5_000 }: { timeoutMs?: number } = {}): Promise<string | null> {
  let target: URL;
  try {
    target = new URL(url);
  } catch {
    return 'it is not a URL';
  }
  if (target.protocol !== 'http:' && target.protocol !== 'https:')
    return `its scheme is ${target.protocol.slice(0, -1)}, not http or https`;
  const host = target.hostname.replace(/^\[|\]$/g, '');
  const port = Number(target.port || (target.protocol === 'https:' ? 443 : 80));
  try {
    await lookup(host);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    return code === 'EAI_AGAIN' ? `the name ${host} could not be resolved just now (EAI_AGAIN)` : `the name ${host} does not resolve`;
  }
  return new Promise(resolve => {
    const socket = connect({ host, port });
    const finish = (reason: string | null) => {
      socket.destroy();
      resolve(reason);
    };
    socket.setTimeout(timeoutMs, () => finish(null));
    socket.once('connect', () => finish(null));
    socket.once('error', (error: NodeJS.ErrnoException) =>
      finish(
        error.code === 'ECONNREFUSED' ? `${host}:${port} refuses the connection` : `${host}:${port} cannot be reached (${error.code})`,
      ),
    );
  });
}

/** Throws before a model is asked when a start address cannot be opened. */
export async function assertReachable({
  urls,
  probeUrl,
}: {
  urls: string[];
  probeUrl: (url: string) => Promise<string | null>;
}): Promise<void> {
  for (const url of urls) {
    const reason = await probeUrl(url);
    if (reason === null) continue;
    throw new WebwrightError({
      code: 'START_URL',
      what: `The start URL cannot be opened: ${reason}`,
      seen: url,
      remedy: 'correct start_url (startUrls) of the task, or start the site; no model was asked',
    });
  }
}
