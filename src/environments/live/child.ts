import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Duplex } from 'node:stream';
import { type CappedOutput, cappedOutput } from '../../sandbox/capped-output.ts';
import { compiledEntry } from '../compiled-entry.ts';
import { stepPrefix } from './compile.ts';
import { type FromChild, fromChildSchema, maxLineBytes, type ToChild } from './protocol.ts';

/** Variables a child may see. Nothing else is passed on: no key, no token, no proxy. */
export const childEnvironment = ['PATH', 'HOME', 'LANG', 'TMPDIR'] as const;

/** How the code of a step ended. */
export type RunEnd = {
  how: 'returned' | 'threw' | 'deadline' | 'aborted' | 'exited' | 'memory-limit' | 'output-limit' | 'protocol';
  output: string;
  /** What was thrown, or how the process ended. */
  error: string;
  value?: string;
  pageGuid?: string;
};

export interface RunnerChild {
  readonly pid: number | undefined;
  readonly alive: boolean;
  attach(options: Omit<Extract<ToChild, { type: 'start' }>, 'type'>): Promise<void>;
  run(options: { id: string; js: string; step: number; pageGuid: string; timeoutMs: number; signal: AbortSignal }): Promise<RunEnd>;
  send(message: ToChild): void;
  kill(): Promise<void>;
}

export interface ChildOptions {
  /** Node to run it with. */
  nodePath: string;
  memoryMb: number;
  outputChars: number;
  /** Messages that belong to no step. */
  onMessage: (message: FromChild) => void;
}

/** More output than this ends the child (reliability §7.5). */
const outputKillBytes = 64_000_000;
const attachTimeoutMs = 15_000;

/** Output reaches us on another pipe than the result; this long its end is waited for. Code may also have closed its output. */
const markerMs = 1_000;

/** The step that is running. */
interface Waiting {
  id: string;
  done?: Extract<FromChild, { type: 'done' }>;
  /** The end of its output has been seen. */
  marked: boolean;
  check(): void;
}

/**
 * Starts a runner child. It loads Playwright at once and waits for {@link RunnerChild.attach}, so a spare one can stand
 * ready before it is needed.
 */
export function startChild({ nodePath, memoryMb, outputChars, onMessage }: ChildOptions): RunnerChild {
  const { corePath, testPath } = playwrightPaths();
  const env = Object.fromEntries(childEnvironment.flatMap(name => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
  const child = spawn(
    nodePath,
    [`--max-old-space-size=${memoryMb}`, compiledEntry({ from: import.meta.url, entry: 'runner/main' }), corePath, testPath],
    {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      env,
      detached: process.platform !== 'win32',
    },
  );
  const channel = child.stdio[3] as Duplex;
  let output = cappedOutput({ keepBytes: outputChars });
  let printed = 0;
  let crash = cappedOutput({ keepBytes: 2_000 });
  let waiting: Waiting | undefined;
  let killedFor: RunEnd['how'] | undefined;
  let alive = true;

  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>(resolve => {
    child.on('error', () => resolve({ code: null, signal: null }));
    child.on('exit', (code, signal) => resolve({ code, signal }));
  });
  void exited.then(() => {
    alive = false;
  });
  /** How the process ended, told to whichever step is waiting. */
  const death = exited.then(async ({ code, signal }) => {
    await new Promise(resolve => setImmediate(resolve));
    const outOfMemory = /heap out of memory|Array buffer allocation failed/.test(textOf(crash));
    const detail = outOfMemory ? '' : textOf(crash).trim().slice(0, 500);
    return {
      how: killedFor ?? (outOfMemory ? ('memory-limit' as const) : ('exited' as const)),
      error: [signal ? `signal ${signal}` : `exit code ${code}`, detail].filter(Boolean).join(': '),
    };
  });
  const end = (how: RunEnd['how']) => {
    killedFor ??= how;
    signalTree(child);
  };

  let carry = Buffer.alloc(0);
  child.stdout?.on('data', (chunk: Buffer) => {
    const marker = waiting && Buffer.from(`\u001e${waiting.id}\u001e`);
    const all = Buffer.concat([carry, chunk]);
    const at = marker && !waiting?.marked ? all.indexOf(marker) : -1;
    if (at >= 0 && marker && waiting) {
      printed = output.push(all.subarray(0, at));
      carry = all.subarray(at + marker.length);
      waiting.marked = true;
      waiting.check();
    } else {
      // The marker may be cut between two chunks.
      const keep = marker && !waiting?.marked ? Math.min(all.length, marker.length - 1) : 0;
      printed = output.push(all.subarray(0, all.length - keep));
      carry = all.subarray(all.length - keep);
    }
    if (printed > outputKillBytes) end('output-limit');
  });
  child.stderr?.on('data', (chunk: Buffer) => crash.push(chunk));

  let attached: () => void = () => {};
  let refused: (error: Error) => void = () => {};
  const ready = new Promise<void>((resolve, reject) => {
    attached = resolve;
    refused = reject;
  });
  ready.catch(() => {});
  let line = Buffer.alloc(0);
  channel.on('error', () => {});
  channel.on('data', (chunk: Buffer) => {
    line = Buffer.concat([line, chunk]);
    if (line.length > maxLineBytes && !line.includes(10)) end('protocol');
    for (let at = line.indexOf(10); at >= 0; at = line.indexOf(10)) {
      const message = parse(line.subarray(0, at).toString());
      line = line.subarray(at + 1);
      if (!message) continue;
      if (message.type === 'ready') attached();
      else if (message.type === 'not-ready') refused(new Error(message.error));
      else if (message.type === 'done') {
        if (waiting?.id !== message.id) continue;
        waiting.done = message;
        waiting.check();
      } else onMessage(message);
    }
  });

  const send = (message: ToChild) => {
    if (alive) channel.write(`${JSON.stringify(message)}\n`);
  };
  const poll = setInterval(() => {
    if (child.pid && residentMb(child.pid) > memoryMb * 1.5 + 200) end('memory-limit');
  }, 250);
  poll.unref();
  void exited.then(() => clearInterval(poll));

  const kill = async () => {
    signalTree(child);
    await exited;
  };

  return {
    get pid() {
      return child.pid;
    },
    get alive() {
      return alive;
    },
    send,
    kill,
    async attach(options) {
      send({ type: 'start', ...options });
      const timer = setTimeout(() => refused(new Error(`the runner did not attach within ${attachTimeoutMs} ms`)), attachTimeoutMs);
      void exited.then(({ code, signal }) => refused(new Error(`the runner ended (${signal ?? code}) ${textOf(crash)}`)));
      await ready.finally(() => clearTimeout(timer));
    },
    async run({ id, js, step, pageGuid, timeoutMs, signal }) {
      output = cappedOutput({ keepBytes: outputChars });
      crash = cappedOutput({ keepBytes: 2_000 });
      printed = 0;
      if (carry.length > 0) output.push(carry);
      carry = Buffer.alloc(0);
      let settle: (end: { how: RunEnd['how']; error?: string }) => void = () => {};
      const ended = new Promise<{ how: RunEnd['how']; error?: string }>(resolve => {
        settle = resolve;
      });
      const current: Waiting = {
        id,
        marked: false,
        check() {
          if (!current.done) return;
          const { error } = current.done;
          const finish = () => settle(error === undefined ? { how: 'returned' } : { how: 'threw', error });
          if (current.marked) finish();
          else setTimeout(finish, markerMs);
        },
      };
      waiting = current;
      const onAbort = () => end('aborted');
      const timer = setTimeout(() => end('deadline'), timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      send({ type: 'run', id, js, step, pageGuid, columnOffset: -stepPrefix.length });
      const { how, error = '' } = await Promise.race([ended, death]);
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      waiting = undefined;
      if (how !== 'returned' && how !== 'threw') output.push(carry);
      const done = current.done;
      return {
        how,
        error,
        output: textOf(output),
        ...(done?.value === undefined ? {} : { value: done.value }),
        ...(done?.pageGuid === undefined ? {} : { pageGuid: done.pageGuid }),
      };
    },
  };
}

function parse(line: string): FromChild | undefined {
  try {
    const parsed = fromChildSchema.safeParse(JSON.parse(line));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** What was kept of an output, with a marker where the middle is missing. */
function textOf(output: CappedOutput): string {
  const { head, tail, omittedBytes } = output.kept();
  const text = omittedBytes > 0 ? `${head}\n… ${omittedBytes} bytes cut …\n${tail}` : `${Buffer.concat([head, tail])}`;
  // The end mark of an earlier step may come late.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the mark is made of them
  return text.replace(/\u001e[\w-]{1,40}\u001e/g, '');
}

/** Kills the child and what it started. */
function signalTree(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

/** Resident memory in MB; 0 where /proc does not exist. */
function residentMb(pid: number): number {
  try {
    return (Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1]) * 4096) / 1e6;
  } catch {
    return 0;
  }
}

/** Playwright as the worker itself resolves it: the peer dependency of the user's project. */
function playwrightPaths(): { corePath: string; testPath: string } {
  const testPath = createRequire(import.meta.url).resolve('@playwright/test');
  const playwright = createRequire(testPath).resolve('playwright');
  return { testPath, corePath: createRequire(playwright).resolve('playwright-core') };
}
