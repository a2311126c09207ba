import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { examples } from '../../../fixtures/calibration/define-set.ts';
import { failureKinds } from '../../../fixtures/calibration/example.ts';
import { sampled } from '../../../src/cli/calibrate/sample.ts';
import { calibrationText } from '../../../src/core/calibration.ts';
import { parseTask } from '../../../src/core/task.ts';
import { findCalibration } from '../../../src/judge/calibration-file.ts';
import { validateChecks } from '../../../src/judge/checks/index.ts';
import { makeAttempt, makeJudge } from './attempts.ts';
import { webwright } from './run-cli.ts';

/** Attempts by answer, with labels; "a good one" is done, "a bad one" not. */
function makeLabels({ folder, answers }: { folder: string; answers: readonly [answer: string, label: 0 | 1][] }): void {
  const attempts = answers.map(([answer, label], index) => {
    makeAttempt({ path: join(folder, 'runs', `${index}`), answer });
    return { id: `a${index}`, folder: `runs/${index}`, label, kind: label === 1 ? 'honest' : 'planted' };
  });
  writeFileSync(join(folder, 'labels.json'), JSON.stringify({ schemaVersion: 1, attempts }));
}

test('a judge is held against labels, and the result is kept for its configuration', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  makeLabels({
    folder: cwd,
    answers: [
      ['one good', 1],
      ['two good', 1],
      ['three bad', 0],
      ['four good but not done', 0],
    ],
  });
  const args = ['calibrate', '--labels', 'labels.json', '-c', judge, '--passes', '2'];
  const { code, out, err } = await webwright(args, { cwd });
  expect(code, err).toBe(0);
  expect(out).toMatch(/labelled done +2 +0\n {2}labelled not done +1 +1\n/);
  expect(out).toContain('agreement 75.0 %');
  expect(out).toContain("Cohen's kappa 0.500");
  expect(out).toContain('items that flip between passes 0.0 %');
  expect(out).toContain('honest: 2 of 2 right');
  expect(out).toContain('planted: 1 of 2 right');
  const file = join(cwd, 'calibration.json');
  const [kept] = JSON.parse(readFileSync(file, 'utf8')).calibrations;
  expect(kept).toMatchObject({ n: 4, kappa: 0.5, confusion: { falsePositives: 1 }, judge: { model: 'judge' } });
  expect(findCalibration({ file, digest: kept.digest })).toEqual({ n: 4, kappa: 0.5, date: kept.date });
  expect(findCalibration({ file, digest: 'of another judge' })).toBeNull();

  // The same again asks nobody; another configuration is another judge.
  const calls = () => readFileSync(join(cwd, 'calls.txt'), 'utf8').split('\n').length;
  const before = calls();
  expect((await webwright(args, { cwd })).out).toContain('0 judge calls');
  expect(calls()).toBe(before);
  await webwright([...args, '-c', 'judge.max_images=7'], { cwd });
  expect(JSON.parse(readFileSync(file, 'utf8')).calibrations).toHaveLength(2);
});

test('items that flip between passes are counted', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  makeLabels({ folder: cwd, answers: [['an odd one', 1]] });
  const { out } = await webwright(['calibrate', '--labels', 'labels.json', '-c', judge, '--passes', '2'], { cwd });
  expect(out).toContain('items that flip between passes 100.0 %');
  expect(out).toContain('kappa: undefined');
});

test('a judge that cannot be asked is no measurement, and is asked again the next time', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  makeLabels({
    folder: cwd,
    answers: [
      ['good', 1],
      ['lost', 0],
    ],
  });
  const args = ['calibrate', '--labels', 'labels.json', '-c', judge];
  const { code, err } = await webwright(args, { cwd });
  expect(code).toBe(6);
  expect(err).toContain('1 could not be judged');
  expect(existsSync(join(cwd, 'calibration.json'))).toBe(false);
  const calls = () => readFileSync(join(cwd, 'calls.txt'), 'utf8').trim().split('\n').length;
  const before = calls();
  await webwright(args, { cwd });
  expect(calls()).toBe(before + 1);
});

test('bad labels and changed evidence are refused before anything is paid for', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  const refusal = async (labels: unknown) => {
    writeFileSync(join(cwd, 'labels.json'), typeof labels === 'string' ? labels : JSON.stringify(labels));
    const { code, err } = await webwright(['calibrate', '--labels', 'labels.json', '-c', judge], { cwd });
    expect(code).not.toBe(0);
    return err;
  };
  const attempt = { id: 'a', folder: 'a', label: 1 };
  expect(await refusal('{')).toContain('no label file');
  expect(await refusal({ schemaVersion: 1, attempts: [] })).toContain('attempts');
  expect(await refusal({ schemaVersion: 1, attempts: [{ ...attempt, label: 2 }] })).toContain('attempts.0.label');
  expect(await refusal({ schemaVersion: 1, attempts: [attempt, attempt] })).toContain('id a is there twice');
  expect(await refusal({ judge: { human: '01', judge: '0' } })).toContain('2 human and 1 judge verdicts');
  expect(await refusal({ judge: { human: '02', judge: '00' } })).toContain('0 and 1');
  expect(await refusal({ schemaVersion: 1, attempts: [attempt] })).toContain('no run.json');
  makeAttempt({ path: join(cwd, 'a'), answer: 'good' });
  const [image] = readFileSync(join(cwd, 'a', 'evidence', 'index.jsonl'), 'utf8').match(/step_[^"]+png/)!;
  writeFileSync(join(cwd, 'a', 'evidence', image), 'other bytes');
  expect(await refusal({ schemaVersion: 1, attempts: [attempt] })).toContain('other bytes than were recorded');
  expect(existsSync(join(cwd, 'calls.txt'))).toBe(false);
});

test('one of --labels and --build, and numbers that are numbers', async ({}, { outputDir: cwd }) => {
  expect((await webwright(['calibrate'], { cwd })).err).toContain('either --labels or --build');
  makeLabels({ folder: cwd, answers: [['good', 1]] });
  expect((await webwright(['calibrate', '--labels', 'labels.json', '--passes', '0'], { cwd })).err).toContain(
    '--passes takes a whole number',
  );
  expect((await webwright(['calibrate', '--build', '.'], { cwd })).err).toContain('not empty');
});

test('a sample is half of each class, of different kinds and tasks, and always the same', () => {
  const attempts = Array.from({ length: 40 }, (_, index) => ({
    id: `a${index}`,
    folder: '',
    label: (index % 2) as 0 | 1,
    kind: index % 2 === 1 ? 'honest' : `kind ${index % 10}`,
    task: `task ${Math.floor(index / 2)}`,
  }));
  const sample = sampled({ attempts, size: 8 });
  expect(sample.filter(({ label }) => label === 1)).toHaveLength(4);
  expect(new Set(sample.map(({ task }) => task)).size).toBe(8);
  expect(new Set(sample.map(({ kind }) => kind)).size).toBe(5);
  expect(sampled({ attempts: attempts.toReversed(), size: 8 })).toEqual(sample);
  expect(sampled({ attempts, size: undefined })).toHaveLength(40);
  expect(sampled({ attempts: attempts.slice(0, 3), size: 8 })).toHaveLength(3);
});

test('the published pairs of three judges give the published figures', async () => {
  const data = process.env['WEBWRIGHT_DATA'];
  const file = join(data ?? '', 'online-mind2web', 'webjudge_vs_human_agentrewardbench.json');
  test.skip(!data || !existsSync(file), 'WEBWRIGHT_DATA names no folder with online-mind2web');
  const { code, out } = await webwright(['calibrate', '--labels', file]);
  expect(code).toBe(0);
  expect([...out.matchAll(/^(\w+):|kappa (\S+)/gm)].map(([, name, kappa]) => name ?? kappa)).toEqual([
    'webjudge_7B',
    '0.553',
    'webjudge_gpt4o',
    '0.626',
    'webjudge_o4_mini',
    '0.507',
  ]);
});

test('published WebVoyager runs become attempts, each also with the answer of the next', async ({}, { outputDir: cwd }) => {
  const data = process.env['WEBWRIGHT_DATA'];
  const source = join(data ?? '', 'webvoyager', 'examples');
  test.skip(!data || !existsSync(source), 'WEBWRIGHT_DATA names no folder with webvoyager/examples');
  const { code, out } = await webwright(['calibrate', '--build', 'set', '--webvoyager', source], { cwd });
  expect(code).toBe(0);
  expect(out).toContain('16 attempts');
  const { attempts } = JSON.parse(readFileSync(join(cwd, 'set', 'labels.json'), 'utf8'));
  expect(attempts.filter(({ label }: { label: number }) => label === 1)).toHaveLength(8);
  const measured = await webwright(['calibrate', '--labels', 'set/labels.json', '-c', makeJudge(cwd)], { cwd });
  expect(measured.code, measured.err).toBe(0);
  expect((await webwright(['calibrate', '--build', 'other', '--webvoyager', cwd], { cwd })).err).toContain('no published WebVoyager runs');
});

test('the built-in set: twenty tasks, two failures of each kind, checks that can be run', () => {
  expect(examples).toHaveLength(20);
  const kinds = examples.map(({ planted }) => planted.kind);
  expect(kinds.sort()).toEqual([...failureKinds, ...failureKinds].sort());
  expect(new Set(examples.map(({ task }) => task.id)).size).toBe(20);
  for (const { task } of examples) {
    const { rubric, checks } = parseTask(task);
    validateChecks(checks);
    expect(rubric.length).toBeGreaterThan(0);
    expect(checks.length).toBeGreaterThan(0);
  }
});

test('what reports say about a judge', () => {
  expect(calibrationText({ kappa: 0.7, n: 40, date: '2026-11-30' })).toBe('calibrated (κ 0.70, n 40, 2026-11-30)');
  expect(calibrationText({ kappa: null, n: 3, date: '2026-11-30' })).toBe('calibrated (κ undefined, n 3, 2026-11-30)');
  expect(calibrationText(null)).toBe('uncalibrated');
});
