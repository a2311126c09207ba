import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';

test('E20 nothing waits for a network that is idle: a page that polls never is', () => {
  const root = join(import.meta.dirname, '..', '..', '..');
  const files = ['src', 'fixtures', 'config', 'tasks'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !entry.parentPath.endsWith('recordings') && /\.(ts|mjs|ya?ml)$/.test(entry.name))
      .map(entry => join(entry.parentPath, entry.name)),
  );
  expect(files.length).toBeGreaterThan(100);
  expect(files.filter(file => /networkidle/i.test(readFileSync(file, 'utf8')))).toEqual([]);
});
