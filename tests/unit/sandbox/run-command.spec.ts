import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { bashFileArgs, bashSource, bashSyntaxError, findBash } from '../../../src/sandbox/bash.ts';
import { processBox } from '../../../src/sandbox/box/process-box.ts';
import { findProgram } from '../../../src/sandbox/find-program.ts';
import { diskLimit } from '../../../src/sandbox/folder-size.ts';
import { type CommandOptions, type CommandResult, runCommand } from '../../../src/sandbox/run-command.ts';
import { memoryLimit } from '../../../src/sandbox/tree-memory.ts';

const bash = findBash({ searchPath: process.env.PATH ?? '' });

/** `run` a bash script in a folder of its own. */
const test = base.extend<{
  folder: string;
  run: (script: string, options?: Partial<CommandOptions>) => Promise<CommandResult & { text: string }>;
}>({
  folder: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'webwright-run-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  run: async ({ folder }, use) => {
    await use(async (script, options = {}) => {
      const file = join(folder, 'script.sh');
      writeFileSync(file, bashSource(script));
      const result = await runCommand({
        command: bash,
        args: bashFileArgs({ bash, file }),
        cwd: folder,
        env: { PATH: process.env.PATH ?? '' },
        timeoutMs: 10_000,
        outputKillBytes: 64_000_000,
        keepBytes: 1_000_000,
        signal: new AbortController().signal,
        ...options,
      });
      return { ...result, text: Buffer.concat([result.output.head, result.output.tail]).toString() };
    });
  },
});

/** Ids of processes that were started with this text in their command line. */
function processesWith(text: string): number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(id => {
      try {
        return (
          readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(text) && !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${id}/stat`, 'latin1'))
        );
      } catch {
        return false;
      }
    });
}

/** A number of seconds for `sleep` that no other process uses. */
const unique = () => `${3_000 + Math.floor(process.hrtime()[1] / 1e6)}.${process.pid}`;

test('stdout and stderr come in order, also through /dev/stdout and tee /dev/stderr', async ({ run }) => {
  const { text, code, end } = await run('echo 1; echo 2 >&2; echo 3 > /dev/stdout; echo 4 | tee /dev/stderr; exit 7');
  expect([text, code, end]).toEqual(['1\n2\n3\n4\n4\n', 7, 'exit']);
});

test('nothing of the parent environment is inherited', async ({ run }) => {
  process.env['WEBWRIGHT_TEST_CANARY'] = 'canary-value';
  expect((await run('env')).text).not.toContain('canary');
});

test('C1 setsid and nohup daemons are gone after the command and counted', async ({ run }) => {
  const seconds = unique();
  const { stragglers, end } = await run(
    `setsid bash -c 'touch up; exec sleep ${seconds}' & nohup sleep ${seconds} >/dev/null 2>&1 & until [ -e up ]; do sleep 0.01; done; disown -a`,
  );
  expect(end).toBe('exit');
  expect(stragglers).toBeGreaterThan(0);
  await expect.poll(() => processesWith(seconds)).toEqual([]);
});

test('C2 a daemon that holds stdout does not hold the command', async ({ run }) => {
  const seconds = unique();
  const { end, code, text } = await run(`setsid sleep ${seconds} & echo started`);
  expect([end, code, text]).toEqual(['exit', 0, 'started\n']);
  await expect.poll(() => processesWith(seconds)).toEqual([]);
});

test('what a left-over process still prints within the grace is kept', async ({ run }) => {
  expect((await run('(sleep 0.05; echo late) & echo early', { drainMs: 2_000 })).text).toBe('early\nlate\n');
});

test('C3 reading stdin or the terminal ends at once', async ({ run }) => {
  const { text, end } = await run('read x || echo "no stdin"; cat; read y </dev/tty || echo "no tty"');
  expect(end).toBe('exit');
  expect(text).toContain('no stdin\n');
  expect(text).toContain('no tty\n');
});

test('C4 a command that traps every signal is killed at the limit, with its children', async ({ run }) => {
  const seconds = unique();
  const { end, code } = await run(`trap '' TERM INT HUP; echo up; sleep ${seconds} & while :; do wait; done`, {
    timeoutMs: 300,
    graceMs: 50,
  });
  expect([end, code]).toEqual(['time-limit', null]);
  await expect.poll(() => processesWith(seconds)).toEqual([]);
});

test('at the time limit a command may clean up, and what it printed is kept', async ({ run, folder }) => {
  const { end, text } = await run(`trap 'touch cleaned; exit 5' TERM; echo up; while :; do sleep 0.02; done`, {
    timeoutMs: 300,
    graceMs: 5_000,
  });
  expect(end).toBe('time-limit');
  expect(text).toMatch(/^up\n/);
  expect(existsSync(join(folder, 'cleaned'))).toBe(true);
});

test('C5 endless output is killed at its limit in bounded memory', async ({ run }) => {
  const { end, output } = await run('yes 0123456789', { outputKillBytes: 5_000_000, keepBytes: 10_000 });
  expect(end).toBe('output-limit');
  expect(output.head.length + output.tail.length).toBeLessThanOrEqual(10_000);
  expect(output.totalBytes).toBeGreaterThan(5_000_000);
});

test('C6 a last line without newline is there', async ({ run }) => {
  expect((await run('printf "no newline"')).text).toBe('no newline');
});

test('an abort ends the command', async ({ run }) => {
  const abort = new AbortController();
  const running = run('echo up; sleep 60', { signal: abort.signal });
  setTimeout(() => abort.abort(), 100);
  expect((await running).end).toBe('aborted');
  expect((await run('touch never', { signal: abort.signal })).end).toBe('aborted');
});

test('a command that cannot start says why', async ({ run }) => {
  expect(await run('true', { command: '/no/such/program' })).toMatchObject({
    end: 'not-started',
    failure: expect.stringContaining('ENOENT'),
  });
  expect(await run('true', { args: ['a\0b'] })).toMatchObject({ end: 'not-started' });
});

test.describe('C10 scripts of any kind run from a file', () => {
  test('200 KB', async ({ run }) => {
    const { code, text } = await run(`: '${'x'.repeat(200_000)}'\necho done`);
    expect([code, text]).toEqual([0, 'done\n']);
  });
  test('CRLF is normalised', async ({ run }) => expect((await run('if true\r\nthen echo yes\r\nfi\r\n')).text).toBe('yes\n'));
  test('NUL is refused clearly', async ({ folder }) => {
    expect(await bashSyntaxError({ bash, script: 'echo a\0b', file: join(folder, 'check.sh') })).toContain('NUL');
  });
});

test.describe('C17 exit codes and signals are told apart from what the harness does', () => {
  for (const code of [124, 126, 127, 137]) {
    test(`exit ${code}`, async ({ run }) => expect(await run(`exit ${code}`)).toMatchObject({ end: 'exit', code, signal: null }));
  }
  test('the shell kills itself', async ({ run }) =>
    expect(await run('kill -9 $$')).toMatchObject({ end: 'exit', code: null, signal: 'SIGKILL' }));
});

test.describe('bash -n', () => {
  const rows: [script: string, expected: RegExp | null][] = [
    ['echo "fine"', null],
    ['if true; then echo', /syntax error/],
    ["node - <<'JS'\nconsole.log(1)", /here-document.*delimited by end-of-file/],
    ["node - <<'JS'\nconsole.log(1)\nJS", null],
    ['echo "open', /unexpected EOF/],
  ];
  for (const [script, expected] of rows) {
    test(JSON.stringify(script), async ({ folder }) => {
      const error = await bashSyntaxError({ bash, script, file: join(folder, 'check.sh') });
      if (expected === null) expect(error).toBeNull();
      else {
        expect(error).toMatch(expected);
        expect(error).not.toContain(folder);
      }
    });
  }
  test('executes nothing', async ({ folder }) => {
    await bashSyntaxError({ bash, script: `touch ${folder}/executed`, file: join(folder, 'check.sh') });
    expect(existsSync(join(folder, 'executed'))).toBe(false);
  });
});

test('C18 without bash the error names it and what to type', () => {
  expect(() => findBash({ searchPath: '' })).toThrow(/needs bash.*PATH=\(empty\).*apt-get install bash/s);
});

test('A4 the memory of a whole tree is bounded, also when it is spread over children', async ({ run }) => {
  const hog = `node -e "const b = []; setInterval(() => b.push(Buffer.alloc(20e6, 1)), 20)"`;
  const { end } = await run(`${hog} & setsid ${hog} & wait`, {
    checks: [memoryLimit({ bytes: 400_000_000, everyMs: 50 })],
    timeoutMs: 12_000,
  });
  expect(end).toBe('memory-limit');
});

test('C8 one file is bounded by the system, a folder by a look at it', async ({ run, folder }) => {
  const file = join(folder, 'script.sh');
  const wrap = processBox({ prlimit: findProgram({ name: 'prlimit', searchPath: process.env.PATH ?? '' }) }).wrap({
    cwd: folder,
    writable: [],
    readable: [],
    network: 'host',
    limits: { tasks: 1, fileBytes: 100_000, temporaryBytes: 1 },
  });
  const small = bashFileArgs({ bash, file, wrap });
  expect(await run('head -c 1M /dev/zero > big; echo "code $?"', { args: small })).toMatchObject({
    end: 'exit',
    text: expect.stringContaining('code 153'),
  });
  expect(statSync(join(folder, 'big')).size).toBe(100_000);
  expect(await run(`node -e "require('fs').writeFileSync('big2', Buffer.alloc(1e6))"`, { args: small })).toMatchObject({
    text: expect.stringContaining('EFBIG'),
  });

  const checks = (limits: { bytes: number; entries: number }) => ({ checks: [diskLimit({ folder, everyMs: 50, ...limits })] });
  expect((await run('mkdir d; for i in {1..300}; do touch d/$i; done; sleep 30', checks({ bytes: 1e9, entries: 200 }))).end).toBe(
    'disk-limit',
  );
  expect((await run('rm -r d; head -c 3M /dev/zero > x; sleep 30', checks({ bytes: 2_000_000, entries: 200 }))).end).toBe('disk-limit');
});
