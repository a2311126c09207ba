import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, type TestInfo, test } from '@playwright/test';
import { findData } from '../../src/benchmarks/find-data.ts';

const repository = join(import.meta.dirname, '../..');

/** Runs the project's own config on `tasks/odysseys`, with nothing but the given variables of ours. */
function odysseys({ args, env }: { args: string[]; env: Record<string, string> }) {
  const { OPENAI_API_KEY, ANTHROPIC_API_KEY, WEBWRIGHT_CONFIG, WEBWRIGHT_DATA, TEST_WORKER_INDEX, TEST_PARALLEL_INDEX, ...inherited } =
    process.env;
  const command = [join(repository, 'node_modules/@playwright/test/cli.js'), 'test', 'tasks/odysseys', '--reporter=list', ...args];
  const { stdout, stderr, status } = spawnSync(process.execPath, command, {
    cwd: repository,
    encoding: 'utf8',
    env: { ...inherited, FORCE_COLOR: '0', ...env },
  });
  return { text: stdout + stderr, status };
}

function dataFolder({ testInfo, tasks }: { testInfo: TestInfo; tasks: number }): string {
  const folder = testInfo.outputPath('data');
  mkdirSync(join(folder, 'odysseys'), { recursive: true });
  const rows = Array.from({ length: tasks }, (_, n) => ({
    task_id: `${n}`.padEnd(40, 'a'),
    confirmed_task: 'The same long instruction for all of them.',
    website: 'https://www.example.com',
    level: n % 2 ? 'hard' : 'easy',
    rubrics: { R1: { requirement: 'r', verification: 'v' } },
  }));
  writeFileSync(join(folder, 'odysseys/odysseys.json'), JSON.stringify(rows));
  return folder;
}

test('each row is a test of its spec, found by file and by level', async ({}, testInfo) => {
  const env = { WEBWRIGHT_DATA: dataFolder({ testInfo, tasks: 3 }) };
  const all = odysseys({ args: ['--list'], env });
  expect(all.text.match(/\[odysseys\] › odysseys\/odysseys\.spec\.ts:\d+:\d+ › \daaaaaaa The same long instruction/g)).toHaveLength(3);
  expect(odysseys({ args: ['--list', '--grep', '@hard', '--project=odysseys', '--no-deps'], env }).text).toContain(
    'Total: 1 test in 1 file',
  );
});

test('the published set is 200 tests', () => {
  const path = findData({ file: 'odysseys/odysseys.json' });
  test.skip(path === undefined, 'the Odysseys tasks are not on this machine');
  expect(odysseys({ args: ['--list', '--project=odysseys', '--no-deps'], env: { WEBWRIGHT_DATA: join(path!, '../..') } }).text).toContain(
    'Total: 200 tests in 1 file',
  );
});

test('without data, one line says how to get it', async ({}, testInfo) => {
  const { text, status } = odysseys({
    args: ['--list'],
    env: { WEBWRIGHT_DATA: testInfo.outputPath('none'), XDG_CACHE_HOME: testInfo.outputPath('cache') },
  });
  expect(status).toBe(0);
  expect(text.split('\n').filter(line => line.includes('curl --create-dirs'))).toHaveLength(1);
});

test('without a key the benchmark fails once, with what to set', async ({}, testInfo) => {
  const { text, status } = odysseys({ args: [], env: { WEBWRIGHT_DATA: dataFolder({ testInfo, tasks: 2 }) } });
  expect(status).toBe(1);
  expect(text).toMatch(/1 failed/);
  expect(text).toMatch(/2 did not run/);
  expect(text).toContain('OPENAI_API_KEY');
  expect(text).not.toMatch(/^ +at /m);
});
