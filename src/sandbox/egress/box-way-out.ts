/** Inside a box nothing else listens. */
const port = 3128;

/**
 * Arguments to put between a box without a network and a command: the relay is started, and the command when it listens. Where it cannot be started the command
 * runs without a network.
 */
export function throughRelay({ bash, relay, socket }: { bash: string; relay: string; socket: string }): string[] {
  const script =
    'exec 9< <(exec "$1" --max-old-space-size=32 "$2" "$3" "$4" 2>/dev/null); read -r -t 10 -u 9; exec 9<&-; shift 4; exec "$@"';
  return [bash, '-c', script, bash, process.execPath, relay, String(port), socket];
}

/**
 * Variables that make programs in a box use the relay: curl, wget, pip, Chromium, and Node's `fetch` and `http` where Node knows `NODE_USE_ENV_PROXY` (24, 22.21).
 * `<-loopback>` is for Chromium, which would otherwise look for `*.localhost` in the box; for others it is no host.
 */
export const proxyVariables: Readonly<Record<string, string>> = {
  ...bothCases({ HTTP_PROXY: `http://127.0.0.1:${port}`, HTTPS_PROXY: `http://127.0.0.1:${port}`, NO_PROXY: '<-loopback>' }),
  NODE_USE_ENV_PROXY: '1',
};

function bothCases(variables: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(variables).flatMap(([name, value]) => [
      [name, value],
      [name.toLowerCase(), value],
    ]),
  );
}
