import { request } from 'node:http';

/**
 * Asks the harness from inside a command. Rejects with the harness's own words when it refuses. Without a time limit: a judge may take
 * minutes, and the command has one.
 */
export function askBroker({
  socket,
  name,
  body,
}: {
  socket: string;
  name: string;
  body: Record<string, unknown>;
}): Promise<Record<string, unknown>> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath: socket, path: `/${name}`, method: 'POST', agent: false, headers: { 'content-type': 'application/json' } },
      response => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          try {
            const value = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, unknown>;
            if (response.statusCode === 200) resolve(value);
            else reject(new Error(String(value.error)));
          } catch (error) {
            reject(error);
          }
        });
      },
    );
    sent.on('error', error =>
      reject(
        new Error(
          `the harness does not answer at BROWSER_ENDPOINT (${error.message}); it answers only while a command of the attempt runs`,
        ),
      ),
    );
    sent.end(JSON.stringify(body));
  });
}
