import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebwrightError } from '../core/errors.ts';
import { sha256Of } from './sha256.ts';

/** The places of a run folder (DESIGN §8). */
export interface RunFolder {
  path: string;
  runJson: string;
  events: string;
  trajectory: string;
  verdict: string;
  configSnapshot: string;
  debug: string;
  evidence: string;
  workspace: string;
}

/**
 * A name that is safe as a folder everywhere and unique for its input: the readable part, then 8 digits of a hash.
 *
 * @example
 * slug('../../x'); // 'x-' + 8 hex digits
 */
export function slug(name: string): string {
  const readable = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, 60);
  return `${readable || 'task'}-${sha256Of(name).slice(0, 8)}`;
}

/** Makes `<root>/<runId>/<test slug>-<repeat>/<k>/`, with the first k that is free. Throws a {@link WebwrightError} (`RECORD`) where nothing can be written. */
export function createRunFolder({ root, runId, test, repeat }: { root: string; runId: string; test: string; repeat: number }): RunFolder {
  const parent = join(root, runId, `${slug(test)}-${repeat}`);
  try {
    mkdirSync(parent, { recursive: true });
  } catch (error) {
    throw new WebwrightError({
      code: 'RECORD',
      what: `No run folder can be made: ${(error as Error).message}`,
      seen: root,
      remedy: 'let run.output_dir name a folder that can be written',
    });
  }
  for (let k = 1; ; k += 1) {
    const path = join(parent, String(k));
    try {
      mkdirSync(path);
      return runFolderAt(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error; // taken, perhaps by another worker just now
    }
  }
}

/** The places of an existing run folder. */
export function runFolderAt(path: string): RunFolder {
  return {
    path,
    runJson: join(path, 'run.json'),
    events: join(path, 'events.jsonl'),
    trajectory: join(path, 'trajectory.json'),
    verdict: join(path, 'verdict.json'),
    configSnapshot: join(path, 'config_snapshot'),
    debug: join(path, 'debug'),
    evidence: join(path, 'evidence'),
    workspace: join(path, 'workspace'),
  };
}

/** Writes JSON so that a reader sees the old file or the new one, never half of it. Returns what was written. */
export function writeJson(path: string, value: unknown): string {
  const text = jsonText(value);
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
  return text;
}

/** JSON as it stands in the files of a run folder. */
export function jsonText(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
