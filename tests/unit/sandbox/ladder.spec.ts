import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { loadConfig } from '../../../src/config/load.ts';
import { findPackageRoot } from '../../../src/config/package-root.ts';
import { type Box, integrityOf } from '../../../src/sandbox/box/box.ts';
import { type BoxHost, thisHost } from '../../../src/sandbox/box/candidates.ts';
import { chooseBox, type Wanted } from '../../../src/sandbox/box/choose-box.ts';
import { explain } from '../../../src/sandbox/box/explain.ts';
import { processBox } from '../../../src/sandbox/box/process-box.ts';
import { failuresOf, selfTest } from '../../../src/sandbox/box/self-test.ts';
import { swapped } from '../../../src/sandbox/box/user-namespace.ts';
import { test, trial } from './boxes.ts';
import { hasBwrap, noBwrap } from './has-bwrap.ts';
import { hasUid, noUid } from './has-uid.ts';

const passes: typeof selfTest = async () => ({ failures: [], output: '' });
const nothing: Wanted = { use: null, require: null };
const choose = ({
  host = {},
  wanted = {},
  test: how = passes,
}: {
  host?: Partial<BoxHost>;
  wanted?: Partial<Wanted>;
  test?: typeof selfTest;
}) =>
  chooseBox({
    wanted: { ...nothing, ...wanted },
    trial,
    host: { ...thisHost(), isRoot: false, searchPath: '', versionOf: () => '0.8.0', ...host },
    test: how,
  });

test.describe('D1 the ladder', () => {
  /** Finds the tools of this machine, but for those that are named. */
  const without = (root: string, ...missing: string[]) => {
    const folder = join(root, 'bin');
    mkdirSync(folder);
    for (const name of ['bwrap', 'prlimit', 'setpriv', 'nsenter', 'unshare'].filter(each => !missing.includes(each)))
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${name}`])
          .toString()
          .trim(),
        join(folder, name),
      );
    return folder;
  };

  test('without bubblewrap the process rung is used, and it says why and what is not protected', async () => {
    const { box, rejected } = await choose({});
    expect(box.rung).toBe('process');
    expect(box.describe('none')).toMatch(/NOT protected.*advisory/);
    expect(rejected).toEqual([
      { rung: 'bwrap', cause: expect.stringContaining('not installed'), remedy: expect.stringContaining('apt-get install bubblewrap') },
      { rung: 'uid', cause: expect.stringContaining('only root'), remedy: expect.stringContaining('bubblewrap') },
    ]);
  });

  test('a weaker rung than required is an error with cause and remedy', async () => {
    await expect(choose({ wanted: { require: 'bwrap' } })).rejects.toThrow(/sandbox\.require=bwrap.*not installed.*apt-get/s);
    await expect(choose({ wanted: { require: 'uid' } })).rejects.toThrow(/sandbox\.require=uid.*not installed.*apt-get/s);
    await expect(choose({ wanted: { require: 'process' } })).resolves.toMatchObject({ box: { rung: 'process' } });
  });

  test('a rung that is asked for is used or refused, never replaced', async ({ root }) => {
    test.skip(!hasBwrap, noBwrap);
    const searchPath = without(root);
    await expect(choose({ host: { searchPath }, wanted: { use: 'process' } })).resolves.toMatchObject({
      box: { rung: 'process' },
      rejected: [{ rung: 'bwrap', cause: expect.stringContaining('sandbox.use asks for process') }, { rung: 'uid' }],
    });
    await expect(choose({ host: { searchPath }, wanted: { use: 'uid' } })).rejects.toThrow(/sandbox\.use=uid.*only root/s);
    await expect(choose({ host: { searchPath }, wanted: { use: 'process', require: 'bwrap' } })).rejects.toThrow(
      /sandbox\.require=bwrap with environment\.sandbox\.use=process/,
    );
  });

  test('a failing self-test is named', async ({ root }) => {
    test.skip(!hasBwrap, noBwrap);
    const { rejected } = await choose({
      host: { searchPath: without(root) },
      test: async () => ({ failures: ['it has capabilities'], output: '' }),
    });
    expect(rejected[0]).toMatchObject({ rung: 'bwrap', cause: 'it has capabilities' });
  });

  test('C18 a missing tool is named with its package', async ({ root }) => {
    test.skip(!hasBwrap, noBwrap);
    const { rejected } = await choose({ host: { searchPath: without(root, 'prlimit') } });
    expect(rejected[0]).toEqual({
      rung: 'bwrap',
      cause: 'prlimit is not installed',
      remedy: 'install util-linux (Debian: apt-get install util-linux)',
    });
  });

  test('root without bubblewrap becomes another user', async ({ root }) => {
    test.skip(!hasUid, noUid);
    const { box, rejected } = await choose({ host: { isRoot: true, searchPath: without(root, 'bwrap') }, test: selfTest });
    expect(box.describe('none')).toMatch(/^uid of its own; NOT protected/);
    expect(rejected).toMatchObject([{ rung: 'bwrap', cause: 'bwrap is not installed' }]);
  });

  const rows: [output: string, cause: RegExp, remedy: RegExp][] = [
    [
      'bwrap: Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)',
      /used up or switched off/,
      /max_user_namespaces/,
    ],
    ['unshare: unshare failed: No space left on device', /used up or switched off/, /max_user_namespaces/],
    [
      'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.',
      /seccomp/,
      /seccomp profile/,
    ],
    ['unshare: unshare failed: Operation not permitted', /seccomp/, /seccomp profile/],
    ['bwrap: setting up uid map: Permission denied', /AppArmor/, /apparmor_restrict_unprivileged_userns=0/],
    ["EPERM: operation not permitted, open '/proc/7/uid_map'", /AppArmor|CAP_SETFCAP/, /apparmor/],
    ['bwrap: loopback: Failed RTM_NEWADDR: Operation not permitted', /AppArmor/, /apparmor/],
    ['bwrap: Unknown option --disable-userns', /too old/, /newer/],
    ['bwrap: something else', /something else/, /doctor/],
    ['', /without a word/, /doctor/],
  ];
  for (const [output, cause, remedy] of rows) {
    test(output || '(no output)', async ({ root }) => {
      const fake: Box = { rung: 'bwrap', user: null, describe: () => 'fake', wrap: () => [join(root, 'bwrap')] };
      writeFileSync(join(root, 'said'), output);
      writeFileSync(join(root, 'bwrap'), `#!/bin/sh\ncat ${root}/said >&2\nexit 1\n`, { mode: 0o755 });
      const { output: said, failures } = await selfTest({ box: fake, trial });
      expect(failures).not.toEqual([]);
      expect(explain(said).cause).toMatch(cause);
      expect(explain(said).remedy).toMatch(remedy);
    });
  }

  test('inside a box there are no namespaces for another one, and the cause is found', async ({ run }) => {
    const { text } = await run('bwrap --unshare-user --ro-bind / / true');
    expect(explain(text).remedy).toMatch(/max_user_namespaces/);
  });
});

test.describe('D3 a box that only claims to hold is rejected', () => {
  test('the plain process fails the self-test of namespaces, point by point', async () => {
    const { failures } = await selfTest({ box: { ...processBox(), rung: 'bwrap' }, trial });
    expect(failures).toEqual(
      expect.arrayContaining([
        'a file outside could be read',
        'a file outside could be written',
        'the test worker could be seen',
        'environment or memory of the test worker could be read',
        'the test worker could be signalled',
        'the network of this machine could be reached',
      ]),
    );
  });
  test('an empty report proves nothing', () => {
    const offered = { network: 'none' as const, endpoint: { address: 'a', folder: 'f' } };
    expect(failuresOf({ rung: 'bwrap', trial: offered, report: {} })).toHaveLength(13);
    expect(failuresOf({ rung: 'uid', trial: offered, report: {} })).toHaveLength(10);
  });
  test('another user who may not enter the folder of the programs is of no use', async ({ root }) => {
    test.skip(!hasUid, noUid);
    const closed = join(root, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const program = join(closed, 'program.js');
    writeFileSync(program, '');
    const choice = chooseBox({ wanted: { use: 'uid', require: null }, trial: { ...trial, readable: [program], programs: [program] } });
    await expect(choice).rejects.toThrow(/the programs it is to run are in a folder that others may not enter/);
  });
  test('a box in which Playwright does not load, or the browser is not reached, is no use', async ({ chosen, root }) => {
    writeFileSync(join(root, 'none.sock'), 'no socket');
    const { failures } = await selfTest({
      box: chosen.box,
      trial: { ...trial, modulePath: '/no/such/module.mjs', readable: [], endpoint: { address: join(root, 'none.sock'), folder: root } },
    });
    expect(failures).toEqual(['Playwright could not be loaded', 'the browser could not be reached through the guard']);
  });
});

test('D4 what can be relied on', () => {
  expect([integrityOf('bwrap'), integrityOf('uid'), integrityOf('process')]).toEqual(['strong', 'strong', 'advisory']);
});

test.describe('D5 other systems', () => {
  for (const platform of ['darwin', 'win32'] as const) {
    test(`${platform} has plain processes, and says why`, async () => {
      const { box, rejected } = await choose({ host: { platform, isRoot: true, searchPath: process.env.PATH ?? '' } });
      expect(
        box.wrap({ cwd: '/', writable: [], readable: [], network: 'none', limits: { tasks: 1, fileBytes: 1, temporaryBytes: 1 } }),
      ).toEqual([]);
      expect(rejected).toMatchObject([{ rung: 'bwrap', cause: expect.stringContaining(platform) }, { rung: 'uid' }]);
      await expect(choose({ host: { platform }, wanted: { require: 'bwrap' } })).rejects.toThrow(
        new RegExp(`this is ${platform}.*container`, 's'),
      );
    });
  }
});

test.describe('D6 there is no rung in the test worker', () => {
  for (const key of ['use', 'require']) {
    test(`environment.sandbox.${key}=none is refused, with what there is`, () => {
      const packageRoot = findPackageRoot(import.meta.url);
      expect(() => loadConfig({ specs: ['base.yaml', `environment.sandbox.${key}=none`], cwd: packageRoot, packageRoot, env: {} })).toThrow(
        new RegExp(`sandbox.${key}.*process`, 's'),
      );
    });
  }
});

test('two users change places in a map, and everybody else stays', () => {
  expect(swapped({ map: '0 0 10', one: 3, other: 5 })).toBe('0 0 3\n3 5 1\n4 4 1\n5 3 1\n6 6 4\n');
  expect(swapped({ map: '         0    1000  4294967295\n', one: 65534, other: 61200 })).toBe(
    '0 0 61200\n61200 65534 1\n61201 61201 4333\n65534 61200 1\n65535 65535 4294901760\n',
  );
  expect(swapped({ map: '0 1000 2', one: 1, other: 0 })).toBe('0 1 1\n1 0 1\n');
});
