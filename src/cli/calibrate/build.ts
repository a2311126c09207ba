import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { writeJson } from '../../record/run-folder.ts';
import { UsageError } from '../parse-flags.ts';
import { compiledFixtures, startRunner } from '../run/start-runner.ts';
import { type ExitCode, exitCodes, type Io } from '../verb.ts';

/** Makes the built-in calibration set in a folder: runs its forty attempts in Playwright Test and writes `labels.json`. */
export async function buildSet({ folder, io }: { folder: string; io: Io }): Promise<ExitCode> {
  refuseUsed(folder);
  mkdirSync(folder, { recursive: true });
  const door = pathToFileURL(join(compiledFixtures(io), 'calibration', 'define-set.js')).href;
  writeFileSync(
    join(folder, 'set.spec.mjs'),
    `import { defineCalibrationSet } from ${JSON.stringify(door)};\n\ndefineCalibrationSet({ folder: import.meta.dirname });\n`,
  );
  const configFile = join(folder, 'playwright.config.mjs');
  writeFileSync(configFile, configText);
  const code = await startRunner({ configFile, env: { WEBWRIGHT_RUN_ID: 'built' }, io });
  if (io.signal.aborted) return exitCodes.interrupted;
  if (code !== 0) {
    io.warn('An attempt did not come out as it is labelled; its reason stands above. The set is not complete.');
    return exitCodes.errored;
  }
  const names = readdirSync(join(folder, 'labels')).sort();
  const attempts = names.map(name => JSON.parse(readFileSync(join(folder, 'labels', name), 'utf8')) as unknown);
  const file = join(folder, 'labels.json');
  writeJson(file, { schemaVersion: 1, source: 'playwright-webwright: built-in set, labelled by construction', attempts });
  io.print(`${attempts.length} attempts: ${relative(io.cwd, file)}`);
  return exitCodes.ok;
}

/** Attempts of two builds in one folder would stand side by side under the same ids. */
export function refuseUsed(folder: string): void {
  if (!existsSync(folder) || readdirSync(folder).length === 0) return;
  throw new UsageError({ what: '--build makes a new folder', seen: `${folder} is not empty`, remedy: 'name another one, or remove it' });
}

const configText = `export default {
  testDir: '.',
  testMatch: 'set.spec.mjs',
  outputDir: 'test-results',
  fullyParallel: true,
  // An attempt waits for pages more than it computes.
  workers: 4,
  retries: 0,
  reporter: 'line',
};
`;
