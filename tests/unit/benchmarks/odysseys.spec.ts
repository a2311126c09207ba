import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { dataFolders, findData } from '../../../src/benchmarks/find-data.ts';
import { loadOdysseys } from '../../../src/benchmarks/odysseys.ts';
import { taskFromOdysseysRow } from '../../../src/benchmarks/odysseys-row.ts';

const row = {
  task_id: '440ed7f388a2a4528a8d9fb75f83e11f934b5b5d',
  confirmed_task: ' Find it – then keep the tab open. ',
  website: 'https://www.example.com',
  reference_length: 4,
  level: 'easy',
  rubrics: {
    R1: { requirement: 'Opens the page.', verification: 'A grader sees it.' },
    R2: { requirement: 'Reports it.', verification: 'v' },
  },
};

test('a row becomes a task and nothing of it is lost', () => {
  expect(taskFromOdysseysRow({ row: { ...row, categories: ['News > Local'] }, benchmark: 'odysseys', version: 'v1' })).toEqual({
    id: row.task_id,
    instruction: 'Find it – then keep the tab open.',
    startUrls: ['https://www.example.com'],
    level: 'easy',
    tags: ['News > Local'],
    rubric: [
      { id: 'R1', requirement: 'Opens the page.', verification: 'A grader sees it.' },
      { id: 'R2', requirement: 'Reports it.', verification: 'v' },
    ],
    checks: [],
    inputs: [],
    hosts: [],
    config: [],
    benchmark: 'odysseys',
    version: 'v1',
    raw: { reference_length: 4, categories: ['News > Local'] },
  });
});

test('a row of our own may carry checks, hosts and several start pages', () => {
  const checks = [{ id: 'C1', kind: 'answer', includes: '24.90' }];
  const task = taskFromOdysseysRow({
    row: { ...row, website: ['http://a.localhost/', 'http://b.localhost/'], hosts: ['a.localhost'], checks },
  });
  expect(task).toMatchObject({ startUrls: ['http://a.localhost/', 'http://b.localhost/'], hosts: ['a.localhost'], checks });
});

for (const [name, bad, names] of [
  ['no instruction', { ...row, confirmed_task: undefined }, /440ed7f3.*instruction/],
  ['a blank instruction', { ...row, confirmed_task: '  ' }, /440ed7f3.*instruction/],
  ['no id', { ...row, task_id: undefined }, /id/],
  ['a level that does not exist', { ...row, level: 'brutal' }, /level/],
  ['a rubric that is a list of strings', { ...row, rubrics: ['do it'] }, /rubric/],
  ['a rubric item without requirement', { ...row, rubrics: { R1: { verification: 'v' } } }, /rubric/],
  ['a string for a row', 'row', /not an object/],
] as const) {
  test(`refused with the field named: ${name}`, () => {
    expect(() => taskFromOdysseysRow({ row: bad })).toThrow(
      expect.objectContaining({ code: 'TASK_INVALID', message: expect.stringMatching(names) }),
    );
  });
}

test('the data folder of the environment comes before the cache folder of the platform', () => {
  expect(dataFolders({ env: { WEBWRIGHT_DATA: '/data' }, platform: 'linux', home: '/h' })).toEqual([
    '/data',
    join('/h/.cache/playwright-webwright'),
  ]);
  expect(dataFolders({ env: { XDG_CACHE_HOME: '/x' }, platform: 'linux', home: '/h' })).toEqual([join('/x/playwright-webwright')]);
  expect(dataFolders({ env: {}, platform: 'darwin', home: '/h' })).toEqual([join('/h/Library/Caches/playwright-webwright')]);
  expect(dataFolders({ env: { LOCALAPPDATA: 'L' }, platform: 'win32', home: '/h' })).toEqual([join('L/playwright-webwright')]);
});

test('a file is read as it is, and a changed one says so in its version', async ({}, testInfo) => {
  const folder = testInfo.outputPath('data');
  mkdirSync(join(folder, 'odysseys'), { recursive: true });
  writeFileSync(join(folder, 'odysseys/odysseys.json'), JSON.stringify([row, { ...row, task_id: 'b', categories: ['x'] }]));
  expect(loadOdysseys({ dataDir: folder }).map(({ id, version }) => [id, version])).toEqual([
    [row.task_id, expect.stringMatching(/^sha256:[0-9a-f]{12}\+modified$/)],
    ['b', expect.anything()],
  ]);
  expect(loadOdysseys({ dataDir: folder, subset: 'core-120' }).map(({ id, tags }) => [id, tags])).toEqual([['b', ['x', 'core120']]]);
});

test('without data one error says where it was looked for and what to type', async ({}, testInfo) => {
  const folder = testInfo.outputPath('nothing');
  expect(() => loadOdysseys({ dataDir: folder })).toThrow(
    expect.objectContaining({ code: 'DATA_MISSING', seen: expect.stringContaining(folder), remedy: expect.stringContaining('curl') }),
  );
  mkdirSync(join(folder, 'odysseys'), { recursive: true });
  writeFileSync(join(folder, 'odysseys/odysseys.json'), '<!doctype html>');
  expect(() => loadOdysseys({ dataDir: folder })).toThrow(
    expect.objectContaining({ code: 'DATA_MISSING', seen: expect.stringContaining('<!doctype') }),
  );
});

test('the published set has 200 tasks, 120 of them core, and 1,225 rubric items', () => {
  test.skip(findData({ file: 'odysseys/odysseys.json' }) === undefined, 'the Odysseys tasks are not on this machine');
  const tasks = loadOdysseys();
  expect(tasks).toHaveLength(200);
  expect(tasks[0]!.version).toBe('sha256:0bb7081d740e');
  expect(tasks.flatMap(task => task.rubric)).toHaveLength(1225);
  expect(loadOdysseys({ subset: 'core-120' }).flatMap(task => task.rubric)).toHaveLength(699);
});
