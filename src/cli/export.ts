import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { WebwrightError } from '../core/errors.ts';
import { readEvents } from '../record/event-log.ts';
import { runFolderAt, writeJson } from '../record/run-folder.ts';
import { trajectoryOf } from '../record/trajectory.ts';
import { exitCodes, textFlag, type Verb } from './verb.ts';

/** `webwright export`: `trajectory.json` from the record, also of an attempt that was cut off. */
export const exportRun: Verb = {
  summary: 'writes trajectory.json from the record of a run folder',
  usage: '<run folder> [-o FILE]',
  details: ['-o FILE   where to; default: trajectory.json in the run folder'],
  flags: { output: { type: 'string', short: 'o' } },
  positionals: { min: 1, max: 1 },
  async run({ flags, positionals: [folder = ''], io }) {
    const { path, events, trajectory } = runFolderAt(resolve(io.cwd, folder));
    if (!existsSync(events) || !statSync(events).isFile()) {
      throw new WebwrightError({
        code: 'CONFIG_INVALID',
        what: 'This is no run folder: it has no events.jsonl',
        seen: path,
        remedy: 'give the folder of one attempt, reports/runs/<run>/<test>/<k>',
      });
    }
    const output = textFlag(flags['output']);
    const target = output === undefined ? trajectory : resolve(io.cwd, output);
    writeJson(target, trajectoryOf(readRecord(events)));
    io.print(target);
    return exitCodes.ok;
  },
};

function readRecord(path: string) {
  try {
    return readEvents(path);
  } catch (error) {
    throw new WebwrightError({
      code: 'RECORDING',
      what: 'The record is damaged: a line before the last is not JSON',
      seen: `${join(path)}: ${(error as Error).message}`,
      remedy: 'the rest of the run folder (debug/, evidence/) may still tell what happened',
    });
  }
}
