import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import type { ItemVerdict } from '../../../src/core/verdict.ts';
import { makeAttempt, makeJudge } from './attempts.ts';
import { webwright } from './run-cli.ts';

const passed: ItemVerdict = { id: 'R1', kind: 'rubric', requirement: 'It is there.', status: 'pass', reason: '', evidence: [] };

test('judges again beside the old verdict, says what changed, and overwrites nothing', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  const folder = join(cwd, 'reports', 'runs', 'a');
  makeAttempt({ path: folder, answer: 'bad', before: [passed] });
  const old = readFileSync(join(folder, 'verdict.json'), 'utf8');
  const results = join(cwd, 'reports', 'benchmark.jsonl');
  writeFileSync(results, `${JSON.stringify({ taskId: 'a', runFolder: 'reports/runs/a' })}\n${JSON.stringify({ taskId: 'never ran' })}\n`);

  const first = await webwright(['rescore', 'reports/benchmark.jsonl', '-c', judge], { cwd });
  expect(first.code, first.err).toBe(1);
  expect(first.out).toContain('C1: pass  was so');
  expect(first.out).toContain('R1: pass -> fail  said so');
  expect(first.out).toContain('outcome: passed -> failed');
  expect(JSON.parse(readFileSync(join(folder, 'verdict-2.json'), 'utf8'))).toMatchObject({
    judge: { model: 'judge', grader: 'robust', digest: expect.stringMatching(/^[0-9a-f]{64}$/) },
    changes: [{ id: 'R1', before: 'pass', after: 'fail' }],
    outcome: 'failed',
  });

  // Run folders are looked for from the results upwards as well.
  const second = await webwright(['rescore', results], { cwd: '/' });
  expect(second.err).toContain('No model is named');
  const third = await webwright(['rescore', folder, '-c', judge], { cwd });
  expect(third.out).toContain('verdict-3.json');
  expect(readFileSync(join(folder, 'verdict.json'), 'utf8')).toBe(old);
});

test('exit code 0 where nothing changed, 6 where the judge could not be asked', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  makeAttempt({ path: join(cwd, 'same'), answer: 'good', before: [passed] });
  makeAttempt({ path: join(cwd, 'lost'), answer: 'lost', before: [passed] });
  expect((await webwright(['rescore', 'same', '-c', judge], { cwd })).code).toBe(0);
  const { code, out } = await webwright(['rescore', 'lost', 'same', '-c', judge], { cwd });
  expect(code).toBe(6);
  expect(out).toContain('R1: pass -> unasked');
  expect(out).toContain('outcome: passed -> unscored');
});

test('what is no attempt is refused before a judge is made', async ({}, { outputDir: cwd }) => {
  makeAttempt({ path: join(cwd, 'a'), answer: 'good' });
  writeFileSync(join(cwd, 'a', 'run.json'), '{"task":{"id":"a","instruction":"i"}}');
  writeFileSync(join(cwd, 'lines.jsonl'), 'nothing\n');
  writeFileSync(join(cwd, 'elsewhere.jsonl'), '{"runFolder":"reports/runs/gone"}\n');
  expect((await webwright(['rescore', 'a'], { cwd })).err).toContain('did not come to its end');
  expect((await webwright(['rescore', 'gone'], { cwd })).err).toContain('nothing to judge here');
  expect((await webwright(['rescore', 'lines.jsonl'], { cwd })).err).toContain('Line 1 of');
  expect((await webwright(['rescore', 'elsewhere.jsonl'], { cwd })).err).toContain('not on this machine');
});
