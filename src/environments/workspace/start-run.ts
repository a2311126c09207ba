import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { exitCodeName, finalRunsFolder, finalScriptName, logName, runNumbers, runPath } from './run-names.ts';

/** A run folder that a script has just begun. */
export interface StartedRun {
  run: number;
  folder: string;
  log: string;
  exitCode: string;
  screenshots: string;
}

/** Whether a program is a final script: by its name, so that `node final_script.mjs` is a run and everything else is exploration. */
export function isFinalScript(script: string | undefined): boolean {
  return script !== undefined && /^final_script\.(mjs|js|ts|mts)$/.test(basename(script));
}

/**
 * The folder in which `final_runs/` stands: the workspace under the harness, else the script's own folder; for a script that lies in a run
 * folder, the folder above its `final_runs/`.
 */
export function runBase({ script, workspace }: { script: string; workspace: string | undefined }): string {
  if (workspace) return workspace;
  const folder = dirname(resolve(script));
  const inRun = /^run_\d+$/.test(basename(folder)) && basename(dirname(folder)) === finalRunsFolder;
  return inRun ? dirname(dirname(folder)) : folder;
}

/**
 * Makes the next `final_runs/run_<n>` (one more than the highest), copies the script into it and begins its log. A folder that was made
 * by hand, holds the very script that runs and has no log yet is used as it is.
 */
export function startRun({ script, base }: { script: string; base: string }): StartedRun {
  const source = resolve(script);
  const own = dirname(source);
  const unused = dirname(own) === join(base, finalRunsFolder) && /^run_\d+$/.test(basename(own)) && !existsSync(join(own, logName));
  const run = unused ? Number(basename(own).slice('run_'.length)) : nextRun(base);
  const folder = runPath({ workspace: base, run });
  const started = {
    run,
    folder,
    log: join(folder, logName),
    exitCode: join(folder, exitCodeName),
    screenshots: join(folder, 'screenshots'),
  };
  mkdirSync(started.screenshots, { recursive: true });
  if (join(folder, finalScriptName) !== source) copyFileSync(source, join(folder, finalScriptName));
  writeFileSync(started.log, '');
  return started;
}

function nextRun(base: string): number {
  mkdirSync(join(base, finalRunsFolder), { recursive: true });
  for (let run = (runNumbers(base).at(-1) ?? 0) + 1; ; run += 1) {
    try {
      mkdirSync(runPath({ workspace: base, run }));
      return run;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // another script took the number
    }
  }
}
