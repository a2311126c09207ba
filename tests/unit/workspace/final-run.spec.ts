import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import type { EvidenceItem } from '../../../src/core/evidence.ts';
import { findFinalRun } from '../../../src/environments/workspace/final-run.ts';
import type { RunRecord } from '../../../src/environments/workspace/run.ts';
import { byStepThenName, fileSlug, finalResponseIn } from '../../../src/environments/workspace/run-names.ts';
import { isFinalScript, runBase } from '../../../src/environments/workspace/start-run.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** A run that has everything. */
const complete = {
  'final_script.mjs': 'await open();',
  'final_script_log.txt': 'step 1 action: look\nFinal Response: £24.90\n',
  exit_code: '0\n',
  'screenshots/final_execution_1_list.png': 'image 1',
};

const test = base.extend<{ workspace: string; write: (run: number | string, files: Record<string, string | null>) => void }>({
  workspace: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'webwright-final-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
  write: async ({ workspace }, use) => {
    await use((run, files) => {
      for (const [name, text] of Object.entries(files)) {
        const path = join(workspace, 'final_runs', `run_${run}`, name);
        mkdirSync(dirname(path), { recursive: true });
        if (text === null) rmSync(path, { force: true });
        else writeFileSync(path, text);
      }
    });
  },
});

const record = (values: Partial<RunRecord> = {}): RunRecord => ({
  step: 4,
  returncode: 0,
  scriptSha256: sha256(complete['final_script.mjs']),
  shots: new Map(),
  evidenceIds: [],
  ...values,
});

const evidence = (id: string, text: string): EvidenceItem => ({
  id,
  step: 4,
  source: 'harness',
  label: 'list',
  url: 'http://shop.localhost/',
  title: 'Shop',
  text: '',
  image: { type: 'image', path: `/evidence/${id}.png`, mediaType: 'image/png', sha256: sha256(text) },
});

test('a complete run, in the order of its steps', ({ workspace, write }) => {
  write(1, { ...complete, 'screenshots/final_execution_10_end.png': 'image 10', 'screenshots/final_execution_2_mid.png': 'image 2' });
  const found = findFinalRun({ workspace });
  expect(found).toMatchObject({ ok: true, run: 1, finalResponse: '£24.90', exitCode: 0, step: null, altered: [] });
  if (!found.ok) return;
  expect(found.screenshots.map(shot => shot.name)).toEqual([
    'final_execution_1_list.png',
    'final_execution_2_mid.png',
    'final_execution_10_end.png',
  ]);
  expect(found.screenshots[0]).toMatchObject({ source: 'claim', evidenceId: null, sha256: sha256('image 1') });
  expect(found.log.sha256).toBe(sha256(complete['final_script_log.txt']));
});

test.describe('refusals say what is missing and what to type next (webwright.md §1.8)', () => {
  const next = /node final_script\.mjs/;
  const rows: [
    kind: string,
    setUp: (tools: { write: (run: number | string, files: Record<string, string | null>) => void; workspace: string }) => void,
    text: RegExp,
  ][] = [
    ['no-final-runs', () => {}, /no final_runs\/ folder/],
    ['no-run', ({ workspace }) => mkdirSync(join(workspace, 'final_runs', 'run_x1'), { recursive: true }), /no run_<n> folder/],
    ['not-executed', ({ write }) => write(3, { 'final_script.mjs': 'x' }), /Nothing was executed in final_runs\/run_3/],
    ['no-script', ({ write }) => write(1, { ...complete, 'final_script.mjs': null }), /final_script\.mjs is missing/],
    ['no-log', ({ write }) => write(1, { ...complete, 'final_script_log.txt': null }), /final_script_log\.txt is missing/],
    ['no-log', ({ write }) => write(1, { ...complete, 'final_script_log.txt': '' }), /final_script_log\.txt is empty/],
    [
      'no-screenshots',
      ({ write }) => write(1, { ...complete, 'screenshots/final_execution_1_list.png': null }),
      /holds no image.*await shot/,
    ],
    [
      'exit-code',
      ({ write }) => write(1, { ...complete, exit_code: '1\n', 'final_script_log.txt': 'step 1 action: look\nerror: boom\n' }),
      /exit code 1.*error: boom/s,
    ],
    ['exit-code', ({ write }) => write(1, { ...complete, exit_code: null }), /did not end by itself/],
    [
      'no-final-response',
      ({ write }) => write(1, { ...complete, 'final_script_log.txt': 'step 1 action: look\n' }),
      /no "Final Response:" line.*answer\(/,
    ],
  ];
  for (const [kind, setUp, text] of rows) {
    test(`${kind}: ${text.source}`, ({ workspace, write }) => {
      setUp({ write, workspace });
      const found = findFinalRun({ workspace });
      expect(found).toMatchObject({ ok: false, kind });
      expect((found as { refusal: string }).refusal).toMatch(text);
      expect((found as { refusal: string }).refusal).toMatch(next);
    });
  }
});

test('a newer folder in which nothing was executed is not a run', ({ workspace, write }) => {
  write(2, complete);
  write(7, { 'final_script.mjs': 'written, never run' });
  write('x9', complete);
  expect(findFinalRun({ workspace })).toMatchObject({ ok: true, run: 2 });
  expect(findFinalRun({ workspace, run: 7 })).toMatchObject({ ok: false, kind: 'not-executed' });
});

test('numbers, not names, decide which run is newest', ({ workspace, write }) => {
  write(9, complete);
  write(10, complete);
  expect(findFinalRun({ workspace })).toMatchObject({ run: 10 });
});

test.describe('C20 only regular files of bounded size are read', () => {
  const path = (workspace: string, name: string) => join(workspace, 'final_runs', 'run_1', name);

  test('a fifo as an image does not block', ({ workspace, write }) => {
    write(1, complete);
    execFileSync('mkfifo', [path(workspace, 'screenshots/final_execution_2_pipe.png')]);
    expect(findFinalRun({ workspace })).toMatchObject({ ok: false, kind: 'not-a-regular-file' });
  });
  test('a fifo as the log does not block', ({ workspace, write }) => {
    write(1, { ...complete, 'final_script_log.txt': null });
    execFileSync('mkfifo', [path(workspace, 'final_script_log.txt')]);
    expect(findFinalRun({ workspace })).toMatchObject({ ok: false, kind: 'not-a-regular-file' });
  });
  for (const name of ['final_script.mjs', 'final_script_log.txt', 'screenshots/final_execution_1_list.png']) {
    test(`a link in the place of ${name} is not followed`, ({ workspace, write }) => {
      write(1, complete);
      renameSync(path(workspace, name), join(workspace, 'elsewhere'));
      symlinkSync(join(workspace, 'elsewhere'), path(workspace, name));
      expect(findFinalRun({ workspace })).toMatchObject({ ok: false, kind: 'not-a-regular-file' });
    });
  }
  for (const name of ['', 'screenshots']) {
    test(`a link in the place of the folder run_1/${name} is not followed`, ({ workspace, write }) => {
      write(1, complete);
      renameSync(path(workspace, name), join(workspace, 'elsewhere'));
      symlinkSync(join(workspace, 'elsewhere'), path(workspace, name).replace(/\/$/, ''));
      expect(findFinalRun({ workspace })).toMatchObject({ ok: false, kind: 'not-a-regular-file' });
    });
  }
  test('a sparse giant is refused by its size', ({ workspace, write }) => {
    write(1, complete);
    truncateSync(path(workspace, 'screenshots/final_execution_1_list.png'), 8_000_000_000);
    expect(findFinalRun({ workspace })).toMatchObject({ ok: false, kind: 'too-large' });
  });
});

test('what the harness took in this run is harness evidence, whatever an earlier run shows', ({ workspace, write }) => {
  write(1, complete);
  write(2, complete);
  const records = new Map([[2, record({ evidenceIds: ['e5'] })]]);
  const found = findFinalRun({ workspace, records, evidence: [evidence('e1', 'image 1'), evidence('e5', 'image 1')] });
  expect(found).toMatchObject({
    ok: true,
    step: 4,
    screenshots: [{ source: 'harness', evidenceId: 'e5', copiedFrom: null }],
    evidence: [{ id: 'e5' }],
  });
});

test('an image that is a copy of an earlier run is a claim that says so', ({ workspace, write }) => {
  write(1, complete);
  write(2, complete);
  const found = findFinalRun({ workspace, records: new Map([[2, record()]]), evidence: [evidence('e1', 'image 1')] });
  expect(found).toMatchObject({ ok: true, screenshots: [{ source: 'claim', evidenceId: null, copiedFrom: 'run_1' }] });
});

test('script and images that differ from what the harness saw are named', ({ workspace, write }) => {
  write(1, { ...complete, 'final_script.mjs': 'another' });
  const shots = new Map([
    ['final_execution_1_list.png', sha256('what the harness took')],
    ['final_execution_2_gone.png', sha256('gone')],
  ]);
  const found = findFinalRun({ workspace, records: new Map([[1, record({ shots })]]) });
  expect(found).toMatchObject({
    ok: true,
    altered: [
      'final_script.mjs is not the script that was executed',
      'screenshots/final_execution_1_list.png is not the image the harness took',
      'screenshots/final_execution_2_gone.png was taken by the harness and is gone',
    ],
  });
});

test('a script that launches its own browser is judged by the return code of its command', ({ workspace, write }) => {
  write(1, { ...complete, exit_code: null });
  const at = (returncode: number | null) => {
    const { scriptSha256: _, ...plain } = record({ returncode });
    return findFinalRun({ workspace, records: new Map([[1, plain]]) });
  };
  expect(at(0)).toMatchObject({ ok: true });
  expect(at(2)).toMatchObject({ ok: false, kind: 'exit-code' });
  expect(at(null)).toMatchObject({ ok: false, kind: 'exit-code' });
});

test('control characters in a log do not reach the judge', ({ workspace, write }) => {
  write(1, { ...complete, 'final_script_log.txt': 'step 1 action: \u001b[2Jlook\0\nFinal Response: x\n' });
  expect(findFinalRun({ workspace })).toMatchObject({ ok: true, log: { text: 'step 1 action: look\nFinal Response: x\n' } });
});

test('the final response of a log', () => {
  const rows: [log: string, expected: string | null][] = [
    ['step 1 action: a\n', null],
    ['Final Response: one\nFinal Response: two\n', 'two'],
    ['Final Response: one\ntwo lines\nstep 3 action: more\n', 'one\ntwo lines'],
    ['FINAL_RESPONSE: skill spelling\n', 'skill spelling'],
    ['the text says Final Response: no\n', null],
    ['Final Response:\n', ''],
  ];
  for (const [log, expected] of rows) expect(finalResponseIn(log), log).toBe(expected);
});

test('screenshots are ordered by step, then by name', () => {
  const names = ['b.png', 'final_execution_2_x.png', 'shot 11.png', 'final_execution_10_x.png', 'a.png', '3.png'];
  expect(names.toSorted(byStepThenName)).toEqual([
    'a.png',
    'b.png',
    'final_execution_2_x.png',
    '3.png',
    'final_execution_10_x.png',
    'shot 11.png',
  ]);
});

test('names become file names', () => {
  expect(fileSlug('Filter: price < £25')).toBe('filter_price_25');
  expect(fileSlug('../../etc')).toBe('etc');
  expect(fileSlug('†')).toBe('shot');
  expect(fileSlug('größe-XL')).toBe('größe-xl');
});

test('which program is the final script, and where its runs go', () => {
  expect(isFinalScript('/ws/final_script.mjs')).toBe(true);
  expect(isFinalScript('/ws/final_runs/run_1/final_script.js')).toBe(true);
  expect(isFinalScript('/ws/explore_final_script.mjs')).toBe(false);
  expect(isFinalScript(undefined)).toBe(false);
  expect(isFinalScript('-')).toBe(false);
  expect(runBase({ script: '/ws/final_script.mjs', workspace: undefined })).toBe('/ws');
  expect(runBase({ script: '/ws/final_runs/run_3/final_script.mjs', workspace: undefined })).toBe('/ws');
  expect(runBase({ script: '/elsewhere/final_script.mjs', workspace: '/ws' })).toBe('/ws');
});
