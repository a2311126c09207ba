import { randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanBytes } from '../clean-text.ts';
import { runCommand } from '../run-command.ts';
import type { Box, BoxNetwork, Rung } from './box.ts';
import { giveTo, letThrough } from './give-to.ts';
import { type ProbeReport, probe } from './probe.ts';

/** What a box is wanted for: the self-test tries that too. */
export interface Trial {
  network: BoxNetwork;
  /** A module that must load inside: playwright-core. */
  modulePath: string;
  readable: readonly string[];
  /** What of it must be readable for anything to run: this package's programs; default: nothing. */
  programs?: readonly string[];
  /** A folder in which workspaces lie; null when nothing of the harness's is written. */
  workspaces: string | null;
  /** A browser that must be reached through the guard: its address, and the folder that has its socket. */
  endpoint?: { address: string; folder: string };
}

/** What a self-test found: nothing, or what does not hold. */
export interface SelfTest {
  failures: string[];
  /** What the box printed, for an explanation of why it did not start. */
  output: string;
}

const limitMs = 20_000;

/**
 * Tries, from inside a box, what must not be possible and what must: read and write outside, see and signal the worker, reach this machine's
 * loopback, have a capability; write the workspace, load Playwright, reach a socket of the harness and a page through the guard. A box that only
 * claims to hold is rejected (reliability.md D3).
 */
export async function selfTest({ box, trial }: { box: Box; trial: Trial }): Promise<SelfTest> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'webwright-box-')));
  // Open folders: what is closed by a mode would prove nothing about the box.
  chmodSync(root, 0o755);
  const [door, outside] = [join(root, 'door'), join(root, 'outside')];
  for (const folder of [door, outside]) mkdirSync(folder);
  const workspace = trial.workspaces === null ? null : mkdtempSync(join(trial.workspaces, '.self-test-'));
  writeFileSync(join(outside, 'canary'), randomUUID());
  const socket = join(door, 'test.sock');
  let signalled = false;
  const onSignal = () => {
    signalled = true;
  };
  const servers = await Promise.all([listen(socket), listen({ port: 0, host: '127.0.0.1' })]);
  const port = (servers[1].address() as { port: number }).port;
  // Ignored by who does not listen, sent by nobody else, and in a namespace with other numbers harmless to whoever gets it.
  process.on('SIGURG', onSignal);
  try {
    giveTo({ box, paths: [socket, ...(workspace ? [workspace] : []), ...(trial.endpoint ? [trial.endpoint.address] : [])] });
    if (trial.endpoint) letThrough({ box, folder: trial.endpoint.folder });
    const argv = [
      ...box.wrap({
        cwd: workspace ?? '/',
        writable: workspace ? [workspace] : [],
        readable: [...trial.readable, door, ...(trial.endpoint ? [trial.endpoint.folder] : [])],
        network: trial.network,
        limits: { tasks: 64, fileBytes: 1_000_000, temporaryBytes: 1_000_000 },
      }),
      ...[process.execPath, '--input-type=module', '-e', probe],
    ];
    const result = await runCommand({
      command: argv[0]!,
      args: argv.slice(1),
      cwd: '/',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: '/tmp',
        CANARY: join(outside, 'canary'),
        WORKER: String(process.pid),
        STARTED: startOf(process.pid),
        MODULE: trial.modulePath,
        DOOR: socket,
        PORT: String(port),
        PROGRAMS: JSON.stringify((trial.programs ?? []).filter(existsSync)),
        ...(workspace && { WORKSPACE: workspace }),
        ...(trial.endpoint && { ENDPOINT: trial.endpoint.address }),
      },
      timeoutMs: limitMs,
      outputKillBytes: 1_000_000,
      keepBytes: 100_000,
      signal: AbortSignal.timeout(limitMs + 5_000),
    });
    const output = cleanBytes(result.output.head);
    const report = /^REPORT (.*)$/m.exec(output)?.[1];
    if (result.end !== 'exit' || !report) return { failures: [`it did not run: ${result.failure ?? result.end}`], output };
    const failures = failuresOf({ rung: box.rung, trial, report: { ...(JSON.parse(report) as ProbeReport), signalled } });
    return { failures, output: '' };
  } finally {
    process.off('SIGURG', onSignal);
    for (const server of servers) server.close();
    for (const folder of [root, ...(workspace ? [workspace] : [])]) rmSync(folder, { recursive: true, force: true });
  }
}

/** What in a report contradicts the promise of a rung; what a report does not say counts against it. */
export function failuresOf({
  rung,
  trial,
  report,
}: {
  rung: Rung;
  trial: Pick<Trial, 'network' | 'endpoint'>;
  report: Partial<ProbeReport & { signalled: boolean }>;
}): string[] {
  const hides = rung === 'bwrap';
  const rows: [fails: boolean, words: string][] = [
    [hides && report.readOutside !== false, 'a file outside could be read'],
    [report.wroteOutside !== false, 'a file outside could be written'],
    [hides && report.sawWorker !== false, 'the test worker could be seen'],
    [report.readWorker !== false, 'environment or memory of the test worker could be read'],
    [report.signalled !== false, 'the test worker could be signalled'],
    [hides && trial.network === 'none' && report.reachedLoopback !== false, 'the network of this machine could be reached'],
    [!/^0+$/.test(report.capabilities ?? ''), 'it has capabilities'],
    [report.isRoot !== false, 'it runs as root'],
    [report.wroteWorkspace !== true, 'the workspace could not be written'],
    [report.loadedModule !== true, 'Playwright could not be loaded'],
    [report.sawPrograms !== true, 'the programs it is to run are in a folder that others may not enter'],
    [report.reachedDoor !== true, 'the harness could not be reached'],
    [trial.endpoint !== undefined && typeof report.title !== 'string', 'the browser could not be reached through the guard'],
  ];
  return rows.flatMap(([fails, words]) => (fails ? [words] : []));
}

/** When a process started, in ticks since boot; with its number that names it. */
function startOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}

function listen(at: string | { port: number; host: string }): Promise<Server> {
  const server = createServer(socket => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(at, () => resolve(server));
  });
}
