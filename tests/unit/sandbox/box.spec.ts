import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { memoryLimit } from '../../../src/sandbox/tree-memory.ts';
import { isRoot, limits, running, test, uniqueSeconds } from './boxes.ts';
import { hasBwrap, noBwrap } from './has-bwrap.ts';
import { hasUid, noUid } from './has-uid.ts';

for (const rung of ['bwrap', 'uid'] as const) {
  test.describe(`what the rung ${rung} holds`, () => {
    test.use({ rung });
    test.skip(rung === 'uid' && !hasUid, noUid);

    test('output in order, exit codes and the working folder are those of the command', async ({ run, workspace }) => {
      expect(await run('pwd; echo error >&2; echo a | tee /dev/stderr; exit 7')).toMatchObject({
        code: 7,
        text: `${workspace}\nerror\na\na\n`,
      });
    });

    test('A4 the memory of the whole box is bounded', async ({ run }) => {
      const hog = `node -e "const b = []; setInterval(() => b.push(Buffer.alloc(20e6, 1)), 20)"`;
      const { end } = await run(`${hog} & env -i PATH="$PATH" setsid ${hog} & wait`, {
        checks: [memoryLimit({ bytes: 400_000_000, everyMs: 50 })],
        timeoutMs: 12_000,
      });
      expect(end).toBe('memory-limit');
    });

    test('C1 daemons die with the command, also those that left group, session and environment', async ({ run }) => {
      const seconds = uniqueSeconds();
      const { end } = await run(
        `env -i setsid sleep ${seconds} & setsid nohup sleep ${seconds} & until [ "$(pgrep -cf 'sleep ${seconds}')" -ge 2 ]; do sleep 0.02; done`,
      );
      expect(end).toBe('exit');
      await expect.poll(() => running(seconds)).toEqual([]);
    });

    test('C2 C3 a daemon that holds stdout, stdin and terminal do not hold the command', async ({ run }) => {
      const { end, code, text } = await run('sleep 60 & read x || echo "no stdin"; cat; read y </dev/tty || echo "no tty"');
      expect([end, code]).toEqual(['exit', 0]);
      expect(text).toMatch(/no stdin\n[\s\S]*no tty\n/);
    });

    test('C4 a command that traps every signal is killed at the limit, with its children', async ({ run }) => {
      const seconds = uniqueSeconds();
      const { end } = await run(`trap '' TERM INT HUP; (exec sleep ${seconds}) & while :; do wait; done`, { timeoutMs: 500, graceMs: 50 });
      expect(end).toBe('time-limit');
      await expect.poll(() => running(seconds)).toEqual([]);
    });

    test('C5 endless output is killed at its limit in bounded memory', async ({ run }) => {
      const { end, output } = await run('yes 0123456789', { outputKillBytes: 5_000_000, keepBytes: 10_000 });
      expect([end, output.head.length + output.tail.length <= 10_000]).toEqual(['output-limit', true]);
    });

    test('C8 one file is bounded, and so is what lies in memory', async ({ run, workspace }) => {
      expect((await run('head -c 20M /dev/zero > big; echo "code $?"')).text).toContain('code 153');
      expect(statSync(join(workspace, 'big')).size).toBe(limits.fileBytes);
      expect((await run(`node -e "require('fs').writeFileSync('big2', Buffer.alloc(2e7))"`)).text).toContain('EFBIG');
      if (rung === 'bwrap') {
        const { text } = await run('for f in /tmp /dev/shm; do head -c 2M /dev/zero > $f/x || echo "full $f"; done; touch /x');
        expect(text.match(/^full /gm)).toHaveLength(2);
        expect(text).toContain('Read-only file system');
      }
    });

    test('C9 D2 a fork bomb is bounded by the number of tasks, and dies as a whole', async ({ run }) => {
      const seconds = uniqueSeconds();
      const { end, text } = await run(`cat > bomb.mjs <<'JS'
import { spawn } from 'node:child_process';
let started = 0, refused = '';
for (let i = 0; i < 400; i++) {
  const child = spawn('sleep', ['${seconds}'], { detached: true, stdio: 'ignore' });
  child.on('error', error => { refused = error.code; });
  if (child.pid) started += 1;
}
setImmediate(() => { console.log(started, refused); process.exit(); });
JS
node bomb.mjs`);
      const [started, refused] = text.trim().split(' ');
      expect([end, refused]).toEqual(['exit', 'EAGAIN']);
      expect(Number(started)).toBeGreaterThan(10);
      expect(Number(started)).toBeLessThan(limits.tasks);
      await expect.poll(() => running(seconds)).toEqual([]);
    });

    test('C11, C12 what the host keeps to itself is not there', async ({ run, root, workspace }) => {
      writeFileSync(join(root, 'canary'), 'secret', { mode: 0o600 });
      symlinkSync('/', join(workspace, 'link'));
      symlinkSync(join(root, 'canary'), join(workspace, 'direct'));
      const files = [
        `${root}/canary`,
        `link${root}/canary`,
        'direct',
        '../canary',
        '~root/.ssh',
        '/root',
        '/etc/shadow',
        `/proc/${process.pid}/environ`,
      ];
      const { text } = await run(
        `for f in ${files.join(' ')}; do cat $f >/dev/null 2>&1 || ls $f/* >/dev/null 2>&1 || echo "no $f"; done; env`,
      );
      expect(text.match(/^no /gm)).toHaveLength(files.length);
      expect(text.match(/^\w+(?==)/gm)?.sort()).toEqual(['HOME', 'PATH', 'PWD', 'SHLVL', 'WEBWRIGHT_PROCESS_TREE', '_']);
    });

    test('C13 nothing outside can be written or removed', async ({ run, root }) => {
      writeFileSync(join(root, 'evidence'), 'untouched');
      await run(`echo x > ${root}/evidence; rm -rf ${root}/evidence /usr/bin/env; touch /usr/x /etc/x ${root}/x; mkdir -p ${root}/y`);
      expect(readFileSync(join(root, 'evidence'), 'utf8')).toBe('untouched');
      expect(readdirSync(root).sort()).toEqual(['evidence', 'script.sh', 'workspace']);
      expect(existsSync('/usr/bin/env')).toBe(true);
    });

    test('C15 the worker can be neither signalled nor read', async ({ run }) => {
      const { text } = await run(
        `kill -9 ${process.pid} && echo killed; head -c 1 /proc/${process.pid}/mem >/dev/null && echo mem; cat /proc/${process.pid}/environ >/dev/null && echo environ; echo tried`,
      );
      expect(text).not.toMatch(/^(killed|mem|environ)$/m);
      expect(text).toContain('tried');
    });

    test('C16 D2 no capabilities, no mounts, no devices, no way back to root', async ({ run, workspace }) => {
      copyFileSync('/usr/bin/id', join(workspace, 'id'));
      if (isRoot) chownSync(join(workspace, 'id'), 0, 0);
      chmodSync(join(workspace, 'id'), 0o4755);
      const { text } = await run(
        'mount -t tmpfs x /mnt && echo mounted; mknod d b 8 0 && echo device; ./id -u; grep -h "^Cap[EPBA]" /proc/self/status; grep NoNewPrivs /proc/self/status',
      );
      expect(text).not.toMatch(/mounted|^device/m);
      expect(text).not.toMatch(/^0$/m);
      expect(text.match(/^Cap\w+:\t0000000000000000$/gm)).toHaveLength(4);
      expect(text).toMatch(/NoNewPrivs:\t1/);
    });

    test('C17 a signal of its own is still not the harness', async ({ run }) => {
      const { end, code, signal } = await run('kill -9 $$');
      expect([end, code ?? signal]).toEqual(['exit', rung === 'bwrap' ? 137 : 'SIGKILL']);
    });

    test('C19 a workspace that its owner has closed can be used by the next command', async ({ run, workspace }) => {
      await run('echo here > file; chmod 000 .');
      chmodSync(workspace, 0o755);
      expect((await run('cat file')).text).toBe('here\n');
    });

    test('D2 for a root worker the user is an ordinary one of this machine, of its own', async ({ run, workspace, chosen: { box } }) => {
      test.skip(!isRoot, 'the worker is no root');
      await run('touch mine');
      expect(statSync(join(workspace, 'mine')).uid).toBe(box.user);
      expect(box.user).toBeGreaterThanOrEqual(61_184);
    });

    test('what the box can write is never run outside it', async ({ run, workspace, root }) => {
      mkdirSync(join(workspace, 'bin'));
      for (const name of ['cat', 'env', 'setsid', 'chown', 'setpriv', 'prlimit'])
        writeFileSync(join(workspace, 'bin', name), `#!/bin/sh\ntouch ${root}/escaped ${workspace}/escaped\n`, { mode: 0o755 });
      await run('echo hello', { env: { PATH: `${workspace}/bin:${process.env.PATH}` } });
      expect([existsSync(join(root, 'escaped')), existsSync(join(workspace, 'escaped'))]).toEqual([false, false]);
    });
  });
}

test.describe('what only namespaces hold', () => {
  test('C12 other processes and files that anybody may read are hidden', async ({ run, root }) => {
    writeFileSync(join(root, 'public'), 'readable by all', { mode: 0o644 });
    const { text } = await run(`cat ${root}/public; ls /home /root; ls /proc | grep -c '^[0-9]'; id -un`);
    expect(text).not.toContain('readable by all');
    const [count, name] = text.trim().split('\n').slice(-2);
    expect(Number(count)).toBeLessThan(12);
    expect(name).toBe('nobody');
  });

  test('C16 no further namespaces', async ({ run }) => {
    const { text } = await run('unshare -Ur true && echo nested; unshare -U true && echo nested; echo tried');
    expect(text).not.toContain('nested');
    expect(text).toContain('tried');
  });

  test('no network but a loopback of its own, unless the plan says so', async ({ run }) => {
    const server = createServer(socket => socket.end('reached'));
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    const ask = `cat < /dev/tcp/127.0.0.1/${(server.address() as AddressInfo).port}; grep -c : /proc/net/dev`;
    expect((await run(ask)).text).toMatch(/refused[\s\S]*\n1\n$/);
    expect((await run(ask, { network: 'host' })).text).toContain('reached');
    server.close();
  });
});

test('C18 a machine has what the tests need', () => {
  test.skip(!hasBwrap, noBwrap);
  for (const tool of ['bwrap', 'prlimit', ...(isRoot ? ['setpriv', 'nsenter', 'unshare'] : [])])
    expect(execFileSync('sh', ['-c', `command -v ${tool}`]).toString(), tool).toContain(tool);
});
