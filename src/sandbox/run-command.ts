import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { cappedOutput, type KeptOutput } from './capped-output.ts';
import { killTree, markerName, type ProcessTree, signalGroup } from './kill-tree.ts';

/** Why a command is over. Only `exit` is its own doing; the others are the harness's. */
export type CommandEnd = 'exit' | 'time-limit' | 'output-limit' | 'memory-limit' | 'disk-limit' | 'aborted' | 'not-started';

export interface CommandResult {
  end: CommandEnd;
  /** Exit code; null when a signal ended it. Tells the truth also for 124, 126, 127 and 137: see `end` for what the harness did. */
  code: number | null;
  signal: NodeJS.Signals | null;
  output: KeptOutput;
  durationMs: number;
  /** Processes that had left the command's group and were killed with it. */
  stragglers: number;
  /** Why it could not be started. */
  failure?: string;
}

/** A limit that is looked at from time to time while a command runs. */
export interface LimitCheck {
  end: CommandEnd;
  everyMs: number;
  exceeded(tree: ProcessTree): boolean;
}

export interface CommandOptions {
  command: string;
  args: string[];
  cwd: string;
  /** The user of its box, who has nothing else to do: whatever runs as this user belongs to the command. */
  user?: number | null;
  /** The whole environment: nothing is inherited. */
  env: Record<string, string>;
  timeoutMs: number;
  /** More output than this ends the command. */
  outputKillBytes: number;
  /** This much of the output is kept, half from its start, half from its end. */
  keepBytes: number;
  signal: AbortSignal;
  checks?: readonly LimitCheck[];
  /** Time between SIGTERM and SIGKILL at the time limit. */
  graceMs?: number;
  /** How long processes the command left behind may still write before they are killed. */
  drainMs?: number;
  /** How long output that is on its way is awaited after everything was killed. */
  flushMs?: number;
}

/**
 * Runs a command in a session of its own with stdin closed and waits for its `exit`, not for its pipes: a daemon that keeps
 * stdout open does not keep us (Webwright D12). Afterwards, whatever the end was, its process group and every process that
 * carries its marker are killed. Never rejects.
 *
 * @example
 * const { code } = await runCommand({ command: 'bash', args: ['-c', 'exit 3'], cwd: '/', env: {}, timeoutMs: 1_000, outputKillBytes: 1e6, keepBytes: 1e5, signal });
 */
export async function runCommand(options: CommandOptions): Promise<CommandResult> {
  const {
    command,
    args,
    cwd,
    env,
    timeoutMs,
    outputKillBytes,
    keepBytes,
    signal,
    checks = [],
    graceMs = 250,
    drainMs = 200,
    flushMs = 2_000,
    user = null,
  } = options;
  const marker = randomUUID();
  const output = cappedOutput({ keepBytes });
  const startedAt = performance.now();
  const elapsedMs = () => performance.now() - startedAt;
  const notStarted = (failure: string): CommandResult => ({
    end: 'not-started',
    code: null,
    signal: null,
    output: output.kept(),
    durationMs: elapsedMs(),
    stragglers: 0,
    failure,
  });
  if (signal.aborted) return { ...notStarted('aborted before it started'), end: 'aborted' };

  let child: ReturnType<typeof spawn>;
  try {
    child = spawn(command, args, { cwd, env: { ...env, [markerName]: marker }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    return notStarted((error as Error).message); // a NUL in an argument throws here
  }
  const { pid, stdout, stderr } = child;
  const tree = { pid: pid!, marker, user };
  let end: CommandEnd = 'exit';
  const stop = (reason: CommandEnd) => {
    if (end !== 'exit') return;
    end = reason;
    killTree(tree);
  };

  const take = (chunk: Buffer) => {
    if (output.push(chunk) > outputKillBytes) stop('output-limit');
  };
  stdout!.on('data', take);
  stderr!.on('data', take);
  const closed = new Promise<void>(resolve => child.once('close', () => resolve()));
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null; failure?: string }>(resolve => {
    child.once('exit', (code, endSignal) => resolve({ code, signal: endSignal }));
    child.once('error', error => resolve({ code: null, signal: null, failure: error.message }));
  });

  const timers: NodeJS.Timeout[] = [];
  timers.push(
    setTimeout(() => {
      if (end !== 'exit') return;
      end = 'time-limit';
      signalGroup({ pid: pid!, signal: 'SIGTERM' });
      timers.push(setTimeout(() => killTree(tree), graceMs));
    }, timeoutMs),
  );
  for (const { end: reason, everyMs, exceeded } of checks) {
    timers.push(
      setInterval(() => {
        if (end === 'exit' && exceeded(tree)) stop(reason);
      }, everyMs),
    );
  }
  const onAbort = () => stop('aborted');
  signal.addEventListener('abort', onAbort, { once: true });

  const ended = await exited;
  for (const timer of timers) clearTimeout(timer);
  signal.removeEventListener('abort', onAbort);
  if (ended.failure !== undefined) return notStarted(ended.failure);

  await settled({ closed, ms: drainMs });
  const stragglers = killTree(tree);
  await settled({ closed, ms: flushMs });
  stdout!.destroy();
  stderr!.destroy();
  return { end, code: ended.code, signal: ended.signal, output: output.kept(), durationMs: elapsedMs(), stragglers: stragglers.length };
}

function settled({ closed, ms }: { closed: Promise<void>; ms: number }): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms);
    closed.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
