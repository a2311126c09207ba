import { connect, createServer } from 'node:net';

/**
 * Runs inside a box that has a network of its own: passes connections to its loopback port on to the socket of the harness's proxy. Prints a line when it
 * listens. Ends with the box.
 *
 * Arguments: the port, the path of the socket.
 */
const [port, path] = process.argv.slice(2) as [string, string];

const server = createServer({ allowHalfOpen: true }, inner => {
  const outer = connect({ path, allowHalfOpen: true });
  for (const [one, other] of [
    [inner, outer],
    [outer, inner],
  ] as const) {
    one.pipe(other);
    one.on('error', () => other.destroy());
    one.on('close', () => other.destroy());
  }
});
server.maxConnections = 256;
process.stdout.on('error', () => {});
server.listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
