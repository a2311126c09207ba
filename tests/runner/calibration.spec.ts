import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@playwright/test';
import { loadConfig } from '../../src/config/load.ts';
import { readAttemptFolder } from '../../src/judge/attempt-folder.ts';
import { judgeConfiguration } from '../../src/judge/judge-configuration.ts';
import { makeProject, runProject } from './project.ts';

const repository = join(import.meta.dirname, '..', '..');
const door = pathToFileURL(join(repository, 'dist/fixtures/calibration/define-set.js')).href;

test('attempts of the calibration set come out as they are labelled, can be judged again, and say whether their judge is calibrated', async () => {
  const { config } = loadConfig({ specs: ['local_browser.yaml'], cwd: repository, packageRoot: repository, env: {} });
  const { digest } = judgeConfiguration({ model: { name: 'scripted', provider: 'scripted' }, config, scorerPrompt: undefined });
  const folder = makeProject({
    'set.spec.ts': `import { defineCalibrationSet } from '${door}';\ndefineCalibrationSet({ folder: import.meta.dirname });\n`,
    'calibration.json': JSON.stringify({ schemaVersion: 1, calibrations: [{ digest, kappa: 0.9, n: 40, date: '2026-11-30' }] }),
  });
  const run = await runProject({ folder, args: ['--grep', 'two-red-mugs|reserve-canal-country', '--workers', '2', '--fully-parallel'] });
  expect(run.tests.map(({ title, status }) => `${title} ${status}`).sort(), run.stdout).toEqual([
    'reserve-canal-country: claims only passed',
    'reserve-canal-country: honest passed',
    'two-red-mugs: honest passed',
    'two-red-mugs: stale evidence passed',
  ]);
  for (const { attempts } of run.tests)
    expect(attempts).toEqual([expect.objectContaining({ calibration: { kappa: 0.9, n: 40, date: '2026-11-30' } })]);
  expect(readFileSync(join(folder, 'report.json'), 'utf8')).toContain('scripted, calibrated (κ 0.90, n 40, 2026-11-30)');

  const labelled = run.tests.map(({ attempts: [attempt] }) => readAttemptFolder(join(folder, attempt!.runFolder)));
  for (const { task, evidence, events } of labelled) {
    expect(task.rubric.length).toBeGreaterThan(0);
    expect(evidence.length).toBeGreaterThan(2);
    expect(events.at(-1)?.type).toBe('attempt-ended');
  }
});
