import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { bashFileArgs, bashSource, findBash } from '../../../src/sandbox/bash.ts';
import { type Box, processBox } from '../../../src/sandbox/box/box.ts';
import { explainBwrap } from '../../../src/sandbox/box/bwrap-box.ts';
import { type BoxHost, type ChosenBox, chooseBox } from '../../../src/sandbox/box/choose-box.ts';
import { failuresOf, selfTest } from '../../../src/sandbox/box/self-test.ts';
import { type CommandOptions, type CommandResult, runCommand } from '../../../src/sandbox/run-command.ts';

const core = realpathSync(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')));
const playwright = { modulePath: join(core, 'index.mjs'), readable: [dirname(core)] };
const bash = findBash({ searchPath: process.env.PATH ?? '' });

interface Fixtures {
  root: string;
  workspace: string;
  /** Runs a script in the strongest box of this machine. */
  run: (script: string, options?: Partial<CommandOptions>) => Promise<CommandResult & { text: string }>;
}

const test = base.extend<Fixtures, { strongest: ChosenBox }>({
  strongest: [async ({}, use) => use(await chooseBox({ require: null, ...playwright })), { scope: 'worker', timeout: 30_000 }],
  root: async ({}, use) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'webwright-box-')));
    chmodSync(root, 0o755);
    await use(root);
    rmSync(root, { recursive: true, force: true });
  },
  workspace: async ({ root }, use) => {
    mkdirSync(join(root, 'workspace'));
    await use(join(root, 'workspace'));
  },
  run: async ({ workspace, strongest: { box } }, use) => {
    await use(async (script, options = {}) => {
      const file = join(workspace, 'script.sh');
      writeFileSync(file, bashSource(script));
      const result = await runCommand({
        command: bash,
        args: bashFileArgs({ bash, file, wrap: box.wrap({ cwd: workspace, writable: [workspace], readable: [] }) }),
        cwd: workspace,
        env: { PATH: process.env.PATH ?? '', HOME: workspace },
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

const running = (text: string) =>
  readdirSync('/proc').filter(id => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });

test.describe('linux: what namespaces hold', () => {
  test.skip(({ strongest }) => strongest.box.rung !== 'bwrap', 'needs bubblewrap with user namespaces; this machine has a lower rung');

  test('output in order, exit codes and the working folder are those of the command', async ({ run, workspace }) => {
    expect(await run('pwd; echo error >&2; echo a | tee /dev/stderr; exit 7')).toMatchObject({
      code: 7,
      text: `${workspace}\nerror\na\na\n`,
    });
  });

  test('C1 daemons die with the command, also those that left group, session and environment', async ({ run }) => {
    const seconds = `${4_000 + (process.pid % 1_000)}.${process.hrtime()[1]}`;
    const { end } = await run(
      `env -i setsid sleep ${seconds} & setsid nohup sleep ${seconds} & until [ "$(pgrep -cf 'sleep ${seconds}')" -ge 2 ]; do sleep 0.02; done`,
    );
    expect(end).toBe('exit');
    await expect.poll(() => running(seconds)).toEqual([]);
  });

  test('C9 a fork bomb dies as a whole', async ({ run }) => {
    const seconds = `${5_000 + (process.pid % 1_000)}.${process.hrtime()[1]}`;
    await run(`for i in {1..300}; do (trap '' TERM; sleep ${seconds}) & done; echo all`, { timeoutMs: 8_000 });
    await expect.poll(() => running(seconds)).toEqual([]);
  });

  test('C11, C12 files, keys and processes of the host are not there', async ({ run, root, workspace }) => {
    writeFileSync(join(root, 'canary'), 'secret');
    symlinkSync('/', join(workspace, 'link'));
    symlinkSync(join(root, 'canary'), join(workspace, 'direct'));
    const { text } = await run(
      `for f in ${root}/canary link${root}/canary direct ../canary ~root/.ssh /root /etc/shadow /home /proc/${process.pid}/environ; do cat $f >/dev/null 2>&1 || ls $f/* >/dev/null 2>&1 || echo "no $f"; done; ls /proc | grep -c '^[0-9]'`,
    );
    expect(text.match(/^no /gm)).toHaveLength(9);
    expect(Number(text.trim().split('\n').at(-1))).toBeLessThan(10);
  });

  test('C13 nothing outside can be written or removed', async ({ run, root }) => {
    writeFileSync(join(root, 'evidence'), 'untouched');
    const { text } = await run(
      `echo x > ${root}/evidence; rm -rf ${root}/evidence /usr/bin/env; touch /usr/x /etc/x; mkdir -p ${root}/y && echo "in the box only"`,
    );
    expect(readFileSync(join(root, 'evidence'), 'utf8')).toBe('untouched');
    expect(readdirSync(root).sort()).toEqual(['evidence', 'workspace']);
    expect(existsSync('/usr/bin/env')).toBe(true);
    expect(text).toContain('Read-only file system');
  });

  test('C15, C16 no signals to the worker, no mounts, no devices, no further namespaces, no capabilities', async ({ run }) => {
    const { text } = await run(
      `kill -9 ${process.pid} && echo killed; mount -t tmpfs x /mnt && echo mounted; mknod d b 8 0 && echo device; unshare -Ur true && echo nested; grep CapEff /proc/self/status; id -u`,
    );
    expect(text).not.toMatch(/killed|mounted|^device|nested/m);
    expect(text).toContain('CapEff:\t0000000000000000');
    expect(text.trim().split('\n').at(-1)).toBe('65534');
  });

  test('C17 in a box a signal is an exit code, and still not the harness', async ({ run }) => {
    expect(await run('kill -9 $$')).toMatchObject({ end: 'exit', code: 137 });
  });

  test('what the box can write is never run outside it', async ({ run, workspace, root }) => {
    mkdirSync(join(workspace, 'bin'));
    for (const name of ['cat', 'env', 'setsid'])
      writeFileSync(join(workspace, 'bin', name), `#!/bin/sh\ntouch ${root}/escaped\n`, { mode: 0o755 });
    await run('echo hello', { env: { PATH: `${workspace}/bin:${process.env.PATH}` } });
    expect(existsSync(join(root, 'escaped'))).toBe(false);
  });
});

test.describe('D3 a box that only claims to hold is rejected', () => {
  test('the plain process fails the self-test, point by point', async () => {
    const { failures } = await selfTest({ box: processBox, ...playwright });
    expect(failures).toEqual(
      expect.arrayContaining(['a file outside could be read', 'a file outside could be written', 'the test worker could be seen']),
    );
  });
  test('an empty report proves nothing', () => expect(failuresOf({})).toHaveLength(7));
  test('a box in which Playwright does not load is no use', async ({ strongest }) => {
    const { failures } = await selfTest({ box: strongest.box, modulePath: '/no/such/module.mjs', readable: [] });
    expect(failures).toContain('Playwright could not be loaded');
  });
});

test.describe('D1 the ladder', () => {
  const host = (values: Partial<BoxHost>): BoxHost => ({
    searchPath: '',
    versionOf: () => '0.8.0',
    test: async () => ({ failures: [], output: '' }),
    ...values,
  });
  const bwrapHere = dirname(execFileSync('sh', ['-c', 'command -v bwrap || command -v sh']).toString().trim());

  test('without bubblewrap the process rung is used, and it says why and what is not protected', async () => {
    const { box, rejected } = await chooseBox({ require: null, ...playwright, host: host({}) });
    expect(box.rung).toBe('process');
    expect(box.description).toContain('NOT protected');
    expect(rejected).toEqual([
      { rung: 'bwrap', cause: expect.stringContaining('not installed'), remedy: expect.stringContaining('apt-get install bubblewrap') },
    ]);
  });

  test('a weaker rung than required is an error with cause and remedy', async () => {
    await expect(chooseBox({ require: 'bwrap', ...playwright, host: host({}) })).rejects.toThrow(
      /sandbox\.require=bwrap.*not installed.*apt-get/s,
    );
    await expect(chooseBox({ require: 'process', ...playwright, host: host({}) })).resolves.toMatchObject({ box: { rung: 'process' } });
  });

  test('a failing self-test is named', async () => {
    test.skip(!existsSync(join(bwrapHere, 'bwrap')), 'needs a bwrap to be found');
    const { rejected } = await chooseBox({
      require: null,
      ...playwright,
      host: host({ searchPath: bwrapHere, test: async () => ({ failures: ['it has capabilities'], output: '' }) }),
    });
    expect(rejected[0]).toMatchObject({ cause: 'it has capabilities' });
  });

  const rows: [output: string, cause: RegExp, remedy: RegExp][] = [
    [
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
      /used up or switched off/,
      /max_user_namespaces/,
    ],
    [
      'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.',
      /seccomp/,
      /seccomp profile/,
    ],
    ['bwrap: setting up uid map: Permission denied', /AppArmor/, /apparmor_restrict_unprivileged_userns=0/],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /AppArmor/, /apparmor/],
    ['bwrap: Unknown option --disable-userns', /too old/, /newer/],
    ['bwrap: something else', /something else/, /doctor/],
    ['', /without a word/, /doctor/],
  ];
  for (const [output, cause, remedy] of rows) {
    test(output || '(no output)', () => {
      const explained = explainBwrap(output);
      expect(explained.cause).toMatch(cause);
      expect(explained.remedy).toMatch(remedy);
    });
  }

  test('what bwrap prints when it cannot start becomes the cause', async ({ root }) => {
    const fake: Box = { rung: 'bwrap', description: 'fake', wrap: () => [join(root, 'bwrap')] };
    writeFileSync(join(root, 'bwrap'), '#!/bin/sh\necho "bwrap: setting up uid map: Permission denied" >&2\nexit 1\n', { mode: 0o755 });
    const { output, failures } = await selfTest({ box: fake, ...playwright });
    expect(failures).not.toEqual([]);
    expect(explainBwrap(output).cause).toContain('AppArmor');
  });
});
