import { writeFileSync } from 'node:fs';
import { expect, test } from '@playwright/test';
import { readInputs } from '../../../fixtures/read-inputs.ts';
import { parseTask } from '../../../src/core/task.ts';

const task = (inputs: unknown[]) => parseTask({ id: 'apply', instruction: 'Apply.', inputs });

test('the files of a task are read before anything is spent', () => {
  const root = test.info().outputPath();
  writeFileSync(test.info().outputPath('cv.pdf'), 'pdf');
  const read = readInputs({
    task: task([
      { name: 'cv.pdf', path: 'cv.pdf' },
      { name: 'letter', text: 'Dear all' },
      { name: 'x.png', base64: 'QUJD' },
    ]),
    root,
  });
  expect(read.map(({ name, mimeType, bytes }) => [name, mimeType, String(bytes)])).toEqual([
    ['cv.pdf', 'application/pdf', 'pdf'],
    ['letter', 'application/octet-stream', 'Dear all'],
    ['x.png', 'image/png', 'ABC'],
  ]);
});

test('what is no file of a task is refused by name', () => {
  const root = test.info().outputPath();
  for (const name of ['../up', 'a/b', '.hidden', '', 'a\nb']) expect(() => task([{ name, text: '' }]), name).toThrow(/inputs\.0\.name/);
  expect(() => task([{ name: 'a', text: '', path: 'b' }])).toThrow(/one of path, text, base64/);
  expect(() => readInputs({ task: task([{ name: 'cv.pdf', path: 'gone.pdf' }]), root })).toThrow(/"cv.pdf" cannot be read/);
  const twice = { name: 'a', text: '' };
  expect(() => readInputs({ task: task([twice, twice]), root })).toThrow(/same name/);
  expect(() => readInputs({ task: task([{ name: 'a', text: 'x'.repeat(10_000_001) }]), root })).toThrow(/too large/);
});
