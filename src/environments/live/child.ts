import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { constants } from 'node:os';
import type { Duplex } from 'node:stream';
import { type CappedOutput, cappedOutput } from '../../sandbox/capped-output.ts';
import { killTree, markerName } from '../../sandbox/kill-tree.ts';
import { memoryLimit } from '../../sandbox/tree-memory.ts';
import { compiledEntry } from '../compiled-entry.ts';
import { stepPrefix } from './compile.ts';
import { type LiveBox, residentBytes } from './live-box.ts';
import { type FromChild, fromChildSchema, maxLineBytes, type ToChild } from './protocol.ts';

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
  box: Pick<LiveBox, 'wrap' | 'cwd' | 'temporary'>;
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

/** What Node and V8 say when the limits of the box give them no more memory. */
const noMemory = /out of memory|allocation failed|bad_alloc/i;

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
export function startChild({ nodePath, box, memoryMb, outputChars, onMessage }: ChildOptions): RunnerChild {
  const { corePath, testPath } = playwrightPaths();
  const entry = compiledEntry({ from: import.meta.url, entry: 'runner/main' });
  const [command = nodePath, ...args] = [...box.wrap, nodePath, `--max-old-space-size=${memoryMb}`, entry, corePath, testPath];
  const marker = randomUUID();
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    cwd: box.cwd,
    env: childEnvironment({ temporary: box.temporary, marker }),
    detached: process.platform !== 'win32',
  });
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
    const outOfMemory = noMemory.test(textOf(crash));
    const detail = outOfMemory ? '' : textOf(crash).trim().slice(0, 500);
    return {
      how: killedFor ?? (outOfMemory ? ('memory-limit' as const) : ('exited' as const)),
      error: [signal ? `signal ${signal}` : exitText(code), detail].filter(Boolean).join(': '),
    };
  });
  const tree = { pid: child.pid ?? 0, marker, user: null };
  const endTree = () => {
    if (alive && child.pid) killTree(tree);
    child.kill('SIGKILL');
  };
  const end = (how: RunEnd['how']) => {
    killedFor ??= how;
    endTree();
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
  const memory = memoryLimit({ bytes: residentBytes(memoryMb), everyMs: 250 });
  const poll = setInterval(() => {
    if (memory.exceeded(tree)) end('memory-limit');
  }, memory.everyMs);
  poll.unref();
  void exited.then(() => clearInterval(poll));

  const kill = async () => {
    endTree();
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
          const how = error === undefined ? 'returned' : noMemory.test(error) ? 'memory-limit' : 'threw';
          const finish = () => settle({ how, ...(error !== undefined && { error }) });
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

/** A box has no signal to end with: it tells them as shells do, by 128 and their number. */
function exitText(code: number | null): string {
  const signal = Object.entries(constants.signals).find(([, number]) => number === (code ?? 0) - 128)?.[0];
  return `exit code ${code}${signal ? ` (${signal})` : ''}`;
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

/** Everything a child finds in its environment: no key, no token, no proxy. */
function childEnvironment({ temporary, marker }: { temporary: string; marker: string }): Record<string, string> {
  const system = process.platform === 'win32' ? { SystemRoot: process.env['SystemRoot'] ?? '' } : {};
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: temporary,
    LANG: 'C.UTF-8',
    NODE_NO_WARNINGS: '1',
    TMPDIR: temporary,
    [markerName]: marker,
    ...system,
  };
}

/** Playwright as the worker itself resolves it: the peer dependency of the user's project. */
function playwrightPaths(): { corePath: string; testPath: string } {
  const testPath = createRequire(import.meta.url).resolve('@playwright/test');
  const playwright = createRequire(testPath).resolve('playwright');
  return { testPath, corePath: createRequire(playwright).resolve('playwright-core') };
}
