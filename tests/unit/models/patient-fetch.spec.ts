import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@playwright/test';
import { fetchWithin } from '../../../src/models/patient-fetch.ts';

test('a reply without headers is waited for as long as was asked for, whatever Node would do', async () => {
  const held: ServerResponse[] = [];
  const server = createServer((_, response) => held.push(response));
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  try {
    const patient = fetchWithin({ silenceMs: 0 })(url, { method: 'POST', body: '{}' });
    await expect(fetchWithin({ silenceMs: 1 })(url)).rejects.toMatchObject({ cause: { code: 'UND_ERR_HEADERS_TIMEOUT' } });
    for (const response of held) response.end('after all');
    expect(await (await patient).text()).toBe('after all');
    await expect(fetchWithin({ silenceMs: 0 })(url, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  } finally {
    server.closeAllConnections();
    server.close();
  }
});
