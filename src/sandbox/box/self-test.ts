import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanBytes } from '../clean-text.ts';
import { runCommand } from '../run-command.ts';
import type { Box } from './box.ts';

/** What a self-test found: nothing, or what does not hold. */
export interface SelfTest {
  failures: string[];
  /** What the box printed, for an explanation of why it did not start. */
  output: string;
}

const limitMs = 20_000;

/**
 * Tries, from inside a box, what must not be possible and what must: read and write outside, see the worker, have a capability; write the
 * workspace, load a module that the box was told to show, and reach a socket of the harness. A box that only claims to hold is rejected (reliability.md D3).
 */
export async function selfTest({
  box,
  modulePath,
  readable,
}: {
  box: Box;
  modulePath: string;
  readable: readonly string[];
}): Promise<SelfTest> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'webwright-box-')));
  const secret = randomUUID();
  const [workspace, door, outside] = ['workspace', 'door', 'outside'].map(name => join(root, name)) as [string, string, string];
  for (const folder of [workspace, door, outside]) mkdirSync(folder);
  writeFileSync(join(outside, 'canary'), secret);
  const server = await listen(join(door, 'test.sock'));
  writeFileSync(join(workspace, 'probe.mjs'), probe);
  try {
    const argv = [
      ...box.wrap({ cwd: workspace, writable: [workspace], readable: [...readable, door] }),
      process.execPath,
      join(workspace, 'probe.mjs'),
    ];
    const result = await runCommand({
      command: argv[0]!,
      args: argv.slice(1),
      cwd: workspace,
      env: {
        HOME: workspace,
        CANARY: join(outside, 'canary'),
        WORKER: String(process.pid),
        MODULE: modulePath,
        DOOR: join(door, 'test.sock'),
      },
      timeoutMs: limitMs,
      outputKillBytes: 1_000_000,
      keepBytes: 100_000,
      signal: AbortSignal.timeout(limitMs + 5_000),
    });
    const output = cleanBytes(result.output.head);
    const report = /^REPORT (.*)$/m.exec(output)?.[1];
    if (result.end !== 'exit' || !report) return { failures: [`it did not run: ${result.failure ?? result.end}`], output };
    return { failures: failuresOf(JSON.parse(report) as Report), output: '' };
  } finally {
    server.close();
    rmSync(root, { recursive: true, force: true });
  }
}

interface Report {
  readOutside: boolean;
  wroteOutside: boolean;
  sawWorker: boolean;
  capabilities: string;
  wroteWorkspace: boolean;
  loadedModule: boolean;
  reachedDoor: boolean;
}

/** What in a report contradicts the promise of a box. */
export function failuresOf(report: Partial<Report>): string[] {
  const rows: [fails: boolean, words: string][] = [
    [report.readOutside !== false, 'a file outside could be read'],
    [report.wroteOutside !== false, 'a file outside could be written'],
    [report.sawWorker !== false, 'the test worker could be seen'],
    [!/^0+$/.test(report.capabilities ?? ''), 'it has capabilities'],
    [report.wroteWorkspace !== true, 'the workspace could not be written'],
    [report.loadedModule !== true, 'Playwright could not be loaded'],
    [report.reachedDoor !== true, 'the harness could not be reached'],
  ];
  return rows.flatMap(([fails, words]) => (fails ? [words] : []));
}

const probe = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { pathToFileURL } from 'node:url';
const works = action => { try { action(); return true; } catch { return false; } };
const { CANARY, WORKER, MODULE, DOOR } = process.env;
const report = {
  readOutside: works(() => readFileSync(CANARY)),
  wroteOutside: works(() => appendFileSync(CANARY, 'x')),
  sawWorker: works(() => process.kill(Number(WORKER), 0)),
  capabilities: /CapEff:\\s*(\\S+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1],
  wroteWorkspace: works(() => writeFileSync('written', 'x')),
  loadedModule: await import(pathToFileURL(MODULE).href).then(() => true, () => false),
  reachedDoor: await new Promise(resolve => connect(DOOR).once('connect', () => resolve(true)).once('error', () => resolve(false))),
};
process.stdout.write('REPORT ' + JSON.stringify(report) + '\\n', () => process.exit(0));
`;

function listen(path: string): Promise<Server> {
  const server = createServer(socket => socket.destroy());
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve(server));
  });
}
