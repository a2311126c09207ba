import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { expect, test } from '@playwright/test';
import { createRunFolder, slug } from '../../../src/record/run-folder.ts';

test('H12 whatever a test is called, its run folder stays inside and is its own', () => {
  const root = mkdtempSync(join(tmpdir(), 'webwright-unit-'));
  const names = [
    '../../x',
    '..',
    'CON',
    'nul.txt',
    'a'.repeat(300),
    'é',
    'e\u0301',
    'Kettle',
    'kettle',
    'a/b',
    'a\\b',
    'x\0y',
    '   ',
    '名前',
    '.hidden',
    'end.',
  ];
  const folders = names.map(test => createRunFolder({ root, runId: 'run', test, repeat: 0 }).path);
  expect(new Set(folders.map(path => path.toLowerCase())).size).toBe(names.length);
  for (const path of folders) {
    const [run, name, k, ...rest] = relative(root, path).split('/');
    expect([run, k, rest]).toEqual(['run', '1', []]);
    expect(name).toMatch(/^[a-z0-9][a-z0-9-]{0,70}-0$/);
  }
  expect(readdirSync(join(root, 'run'))).toHaveLength(names.length);
  expect(slug('CON')).not.toBe('con');
});
