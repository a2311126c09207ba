import { request } from 'node:http';

let underWay = 0;

/** Questions to the harness that are not answered yet: a script that waits for one is not idle. */
export function questionsUnderWay(): number {
  return underWay;
}

/**
 * Asks the harness from inside a command. Rejects with the harness's own words when it refuses. Without a time limit: a judge may take
 * minutes, and the command has one.
 */
export function askBroker(question: Question): Promise<Record<string, unknown>> {
  underWay += 1;
  return ask(question).finally(() => {
    underWay -= 1;
  });
}

interface Question {
  socket: string;
  name: string;
  body: Record<string, unknown>;
}

function ask({ socket, name, body }: Question): Promise<Record<string, unknown>> {
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
