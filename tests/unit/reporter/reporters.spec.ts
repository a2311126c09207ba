import { expect, test } from '@playwright/test';
import { reporters } from '../../../fixtures/config.ts';

const names = (options: Parameters<typeof reporters>[0]) =>
  reporters(options).map(([name]) => name.replace(/^.*[\\/](src|node_modules)[\\/]/, ''));

test('a whole run has list, ours, html and Allure; a shard a blob of its own instead of the last two', () => {
  expect(names({ argv: ['node', 'cli.js', 'test'] })).toEqual([
    'list',
    'reporter/index.ts',
    'html',
    expect.stringMatching(/^allure-playwright/),
  ]);
  expect(names({ argv: ['test', '--shard=1/2'] })).toEqual(['list', 'reporter/index.ts', 'blob']);
  expect(reporters({ argv: ['test', '--shard', '2/3'] }).at(-1)).toEqual([
    'blob',
    { outputFile: expect.stringMatching(/reports.blob.shard-2-of-3\.zip$/) },
  ]);
});

test('a merge never writes a blob, whatever the command line, and fails when a test failed', () => {
  expect(names({ merge: true, argv: ['--shard=1/2'] })).toEqual(['reporter/index.ts', 'html', 'reporter/allure-merge.ts']);
  expect(reporters({ merge: true })[0]![1]).toMatchObject({ throwWhenFailed: true, steps: false });
});

test('the HTML report is never opened by itself', () => {
  expect(reporters({ folder: 'out', argv: [] }).find(([name]) => name === 'html')).toEqual([
    'html',
    { outputFolder: expect.stringMatching(/^out.html$/), open: 'never' },
  ]);
});
