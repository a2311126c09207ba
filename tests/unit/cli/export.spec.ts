import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { webwright } from './run-cli.ts';

let folder: string;
test.beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webwright-export-'));
});
test.afterEach(() => rmSync(folder, { recursive: true }));

const line = (seq: number) =>
  `${JSON.stringify({ seq, time: '2026-01-01T00:00:00.000Z', type: 'message', step: 0, message: { role: 'user', content: `m${seq}`, extra: {} } })}\n`;

test('writes the trajectory of a record, also of one that was cut off', async () => {
  writeFileSync(join(folder, 'events.jsonl'), line(0) + line(1));
  appendFileSync(join(folder, 'events.jsonl'), line(2).slice(0, 20));
  const { code, out } = await webwright(['export', folder]);
  expect(code).toBe(0);
  const trajectory = JSON.parse(readFileSync(out, 'utf8'));
  expect(trajectory.trajectory_format).toBe('webwright-0.1');
  expect(trajectory.messages.map((message: { content: string }) => message.content)).toEqual(['m0', 'm1']);
});

test('-o names the file', async () => {
  writeFileSync(join(folder, 'events.jsonl'), line(0));
  const { out } = await webwright(['export', '.', '-o', 'mine.json'], { cwd: folder });
  expect(out).toBe(join(folder, 'mine.json'));
  expect(JSON.parse(readFileSync(out, 'utf8')).messages).toHaveLength(1);
});

test('a folder without a record is named', async () => {
  const { code, err } = await webwright(['export', folder]);
  expect(code).toBe(2);
  expect(err).toContain('no events.jsonl');
});

test('a damaged record is an error, not half a trajectory', async () => {
  writeFileSync(join(folder, 'events.jsonl'), `${line(0)}{broken\n${line(2)}`);
  const { code, err } = await webwright(['export', folder]);
  expect(code).toBe(5);
  expect(err).toContain('damaged');
});
