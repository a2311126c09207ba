import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { EventLog, type RecordSeal, readEvents } from '../../../src/record/event-log.ts';
import { EvidenceStore } from '../../../src/record/evidence.ts';
import { createRunFolder, type RunFolder, runFolderAt, writeJson } from '../../../src/record/run-folder.ts';
import { sha256Of } from '../../../src/record/sha256.ts';
import { trajectoryOf } from '../../../src/record/trajectory.ts';
import { verifyRecord } from '../../../src/record/verify.ts';
import { webwright } from '../cli/run-cli.ts';

/** A finished attempt of three steps with a picture each, as the harness leaves it. */
function record(root: string, test = 'kettle'): { folder: RunFolder; seal: RecordSeal } {
  const folder = createRunFolder({ root: join(root, 'reports', 'runs'), runId: 'r', test, repeat: 0 });
  const log = new EventLog({ path: folder.events, now: () => new Date(0) });
  const config = { 'merged_config.yaml': `task: ${test}\n` };
  mkdirSync(folder.configSnapshot);
  writeFileSync(join(folder.configSnapshot, 'merged_config.yaml'), config['merged_config.yaml']);
  log.append({
    type: 'record-opened',
    test: [test],
    project: '',
    repeat: 0,
    retry: 0,
    taskSha256: sha256Of(test),
    configDigest: 'c',
    config: { 'merged_config.yaml': sha256Of(config['merged_config.yaml']) },
    versions: {},
    nonce: test,
  });
  const evidence = new EvidenceStore({ folder: folder.evidence, log });
  for (const step of [1, 2, 3]) {
    log.append({ type: 'message', step, message: { role: 'user', content: `${test} ${step}`, extra: {} } });
    evidence.add({
      step,
      source: 'harness',
      label: 'step',
      text: `page ${step}`,
      bytes: Buffer.from(`${test} image ${step}`),
      mediaType: 'image/png',
    });
  }
  mkdirSync(evidence.downloadFolder);
  writeFileSync(join(evidence.downloadFolder, 'download-1'), `${test},1`);
  evidence.keepDownload({ step: 3, name: 'list.csv', url: '', path: join(evidence.downloadFolder, 'download-1') });
  const verdict = { predicted_label: 0 as const, reasons: 'CP1 not-met', coach: null, grader: null };
  log.append({ type: 'verdict-given', predicted_label: 0, sha256: sha256Of(writeJson(folder.verdict, verdict)) });
  log.append({ type: 'attempt-ended', exit: { exit_status: 'Submitted', outcome: 'failed' } });
  writeJson(folder.trajectory, trajectoryOf(log.events));
  log.close();
  return { folder, seal: log.seal };
}

const test = base.extend<{ root: string }>({
  root: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'webwright-verify-'));
    await use(folder);
    rmSync(folder, { recursive: true, force: true });
  },
});

const edit = (path: string, change: (text: string) => string) => writeFileSync(path, change(readFileSync(path, 'utf8')));
const editLines = (path: string, change: (lines: string[]) => string[]) =>
  edit(path, text =>
    change(text.trimEnd().split('\n'))
      .map(line => `${line}\n`)
      .join(''),
  );
const firstImage = (folder: RunFolder) => join(folder.evidence, readdirSync(folder.evidence).find(name => name.endsWith('.png'))!);
/** Writes the whole chain anew, as somebody who knows how it is made would. */
const rechain = (path: string) =>
  editLines(path, lines => {
    let prev = '0'.repeat(64);
    return lines.map((line, seq) => {
      const made = JSON.stringify({ ...JSON.parse(line), prev, seq });
      prev = sha256Of(made);
      return made;
    });
  });

const manipulations: [name: string, change: (folder: RunFolder, root: string) => void, place: RegExp][] = [
  [
    'the verdict is flipped',
    ({ verdict }) => edit(verdict, text => text.replace('"predicted_label": 0', '"predicted_label": 1')),
    /verdict\.json is not the verdict/,
  ],
  ['the verdict is deleted', ({ verdict }) => rmSync(verdict), /verdict\.json is missing/],
  ['an event is edited', ({ events }) => edit(events, text => text.replace('kettle 2', 'kettle 9')), /line 5 does not follow line 4/],
  ['an event is removed', ({ events }) => editLines(events, lines => lines.toSpliced(3, 1)), /line 4 does not follow line 3/],
  [
    'two events are swapped',
    ({ events }) => editLines(events, ([a, b, c, ...rest]) => [a!, c!, b!, ...rest]),
    /line 2 does not follow line 1/,
  ],
  ['an event is repeated', ({ events }) => editLines(events, ([a, b, ...rest]) => [a!, b!, b!, ...rest]), /line 3 does not follow line 2/],
  [
    'an event is appended',
    ({ events }) => appendFileSync(events, '{"seq":10,"type":"note","step":0,"text":"x"}\n'),
    /line 11 does not follow/,
  ],
  [
    'the last event is cut off',
    ({ events }) => editLines(events, lines => lines.slice(0, -1)),
    /not those that were sealed: 9 .* sealed 10/,
  ],
  ['the last line is cut in two', ({ events }) => edit(events, text => text.slice(0, -20)), /ends in the middle of line 10/],
  ['a line of garbage', ({ events }) => editLines(events, lines => lines.toSpliced(2, 0, 'garbage')), /line 3 is no JSON/],
  [
    'the outcome is changed and the chain made anew',
    ({ events }) => {
      edit(events, text => text.replace('"outcome":"failed"', '"outcome":"passed"'));
      rechain(events);
    },
    /not those that were sealed/,
  ],
  [
    'an image is replaced',
    folder => writeFileSync(firstImage(folder), 'another'),
    /evidence\/step_0001_e1_.* is not the image that was captured/,
  ],
  [
    'a file that was downloaded is changed',
    ({ evidence }) => writeFileSync(join(evidence, 'downloads', 'download-1'), 'kettle,2'),
    /evidence\/downloads\/download-1 is not the file that was saved/,
  ],
  [
    'a file that was downloaded is removed',
    ({ evidence }) => rmSync(join(evidence, 'downloads'), { recursive: true }),
    /evidence\/downloads\/download-1 is missing/,
  ],
  [
    'an image is a link to itself elsewhere',
    (folder, root) => {
      const image = firstImage(folder);
      renameSync(image, join(root, 'elsewhere.png'));
      symlinkSync(join(root, 'elsewhere.png'), image);
    },
    /evidence\/step_0001_e1_.* is missing/,
  ],
  [
    'an image is added',
    folder => writeFileSync(join(folder.evidence, 'step_0009_e9_x.png'), 'x'),
    /step_0009_e9_x\.png was never captured/,
  ],
  [
    'the index says something else',
    folder => edit(join(folder.evidence, 'index.jsonl'), text => text.replace('page 2', 'page 7')),
    /index\.jsonl line 2 \(e2\)/,
  ],
  [
    'the trajectory is edited',
    ({ trajectory }) => edit(trajectory, text => text.replace('kettle 1', 'kettle 0')),
    /trajectory\.json is not what the events say/,
  ],
  [
    'the config is edited',
    ({ configSnapshot }) => appendFileSync(join(configSnapshot, 'merged_config.yaml'), 'x: 1\n'),
    /config_snapshot\/merged_config\.yaml/,
  ],
  [
    'another run is put in its place',
    (folder, root) => {
      const { folder: other } = record(root, 'teapot');
      rmSync(folder.path, { recursive: true });
      cpSync(other.path, folder.path, { recursive: true });
    },
    /not those that were sealed/,
  ],
];

test.describe('J2 a manipulated record is altered, and where', () => {
  for (const [name, change, place] of manipulations) {
    test(`J2 ${name}`, ({ root }) => {
      const { folder, seal } = record(root);
      change(folder, root);
      const { state, altered } = verifyRecord({ folder, sealed: seal });
      expect(altered.join('\n')).toMatch(place);
      expect(state).toBe('altered');
    });
  }
});

test('J2 an untouched record is intact, wherever its folder is moved', ({ root }) => {
  const { folder, seal } = record(root);
  expect(verifyRecord({ folder, sealed: seal })).toEqual({ state: 'intact', altered: [], seal });
  renameSync(folder.path, join(root, 'moved'));
  expect(verifyRecord({ folder: runFolderAt(join(root, 'moved')), sealed: seal }).state).toBe('intact');
});

test('J3 without a digest from elsewhere it says so, also of a chain that somebody made anew', ({ root }) => {
  const { folder } = record(root);
  expect(verifyRecord({ folder, sealed: null }).state).toBe('no-digest');
  edit(folder.events, text => text.replace('"outcome":"failed"', '"outcome":"passed"'));
  rechain(folder.events);
  expect(verifyRecord({ folder, sealed: null }).state).toBe('no-digest');
});

test('J12 a log cut at any byte gives its whole lines, and is never intact', ({ root }) => {
  const { folder, seal } = record(root);
  const text = readFileSync(folder.events);
  const whole = readEvents(folder.events);
  for (let cut = 0; cut < text.length; cut += 1) {
    writeFileSync(folder.events, text.subarray(0, cut));
    const lines = text.subarray(0, cut).toString('latin1').split('\n').length - 1;
    expect(readEvents(folder.events)).toEqual(whole.slice(0, lines));
    expect(verifyRecord({ folder, sealed: seal }).state).toBe('altered');
  }
});

test('webwright verify: exit codes and words for each of the three answers', async ({ root }) => {
  const { folder, seal } = record(root);
  const verify = (...args: string[]) => webwright(['verify', folder.path, ...args], { cwd: root });
  expect(await verify()).toMatchObject({ code: 6, out: expect.stringMatching(/^no digest to compare with: the 10 events/) });
  expect(await verify('--head', seal.head)).toMatchObject({ code: 0, out: expect.stringMatching(/^intact: 10 events/) });

  const runFolder = folder.path.slice(root.length + 1);
  const result = { taskId: 'kettle', outcome: 'failed', runFolder, seal };
  writeJson(folder.runJson, { ...result, test: ['kettle'] });
  mkdirSync(join(root, 'reports', 'benchmark'));
  writeFileSync(join(root, 'reports', 'benchmark', 'results.jsonl'), `${JSON.stringify({ ...result, test: { id: 'x' } })}\n`);
  expect(await verify()).toMatchObject({ code: 0 });
  edit(folder.runJson, text => text.replace('"failed"', '"passed"'));
  expect(await verify()).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^altered: .*\n {2}run\.json: outcome is not what the reporter was handed/),
  });
  expect(await webwright(['verify', join(root, 'none')], { cwd: root })).toMatchObject({
    code: 2,
    err: expect.stringContaining('no run folder'),
  });
});
