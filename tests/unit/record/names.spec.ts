import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { expect, test } from '@playwright/test';
import { createRunFolder, slug } from '../../../src/record/run-folder.ts';

const hostile = [
  '../../etc/passwd',
  '..\\..\\windows',
  '/absolute',
  'C:\\x',
  '.',
  '..',
  '',
  ' ',
  'CON',
  'con',
  'nul.txt',
  'a\0b',
  'a\nb',
  '\u001b[2J\u001b]0;x\u0007',
  'a:b*c?d"e<f>g|h',
  'trailing. ',
  '-rf',
  '$(reboot)',
  "'; drop",
  '\u00fc',
  'u\u0308',
  '\u202etxt.exe',
  '\ud83d',
  'İI',
  'kettle',
  'Kettle',
  'KETTLE ',
  'x'.repeat(5_000),
];

test('J11 hostile ids and titles become folders that are inside, unique and portable', () => {
  const root = mkdtempSync(join(tmpdir(), 'webwright-names-'));
  try {
    const slugs = hostile.map(slug);
    // Unique also where the file system does not tell upper from lower case.
    expect(new Set(slugs.map(name => name.toLowerCase())).size).toBe(new Set(hostile.map(name => name.toWellFormed())).size);
    for (const [index, name] of slugs.entries()) {
      expect(name, hostile[index]).toMatch(/^[a-z0-9][a-z0-9-]{0,68}$/);
      expect(name).not.toMatch(/^(?:con|nul|aux|prn)$/);
      const { path } = createRunFolder({ root, runId: 'r', test: hostile[index]!, repeat: 0 });
      expect(relative(root, path).split(sep)).toEqual(['r', `${name}-0`, '1']);
    }
    expect(createRunFolder({ root, runId: 'r', test: 'kettle', repeat: 0 }).path).toMatch(/[\\/]2$/);
  } finally {
    rmSync(root, { recursive: true });
  }
});
