import { lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Download, EvidenceItem } from '../../core/evidence.ts';
import { cleanBytes } from '../../sandbox/clean-text.ts';
import { readRegularFile } from './read-regular-file.ts';
import type { FinalRun, RunRecord, RunRefusal, RunRefusalKind, RunShot } from './run.ts';
import { changesIn, digest, imageNames, type RunFiles, runFilesOf, runLimits } from './run-files.ts';
import { exitCodeName, finalResponseIn, finalRunsFolder, finalScriptName, logName, runNumbers, runPath } from './run-names.ts';

const howToRun = `run it with "node ${finalScriptName}": that makes the next final_runs/run_<n> with script, log and screenshots`;

/**
 * The newest run of the final script, or why there is none (webwright.md §1.8, D14: one function for the gate and for the judge).
 * A newer folder in which nothing was executed is not a run. Only regular files are read; nothing is followed or waited for.
 */
export function findFinalRun({
  workspace,
  records = new Map(),
  evidence = [],
  downloads = [],
  run: wanted,
}: {
  workspace: string;
  records?: ReadonlyMap<number, RunRecord>;
  evidence?: readonly EvidenceItem[];
  downloads?: readonly Download[];
  /** Ask for this run instead of the newest. */
  run?: number;
}): FinalRun {
  const refuse = (kind: RunRefusalKind, refusal: string, run: number | null = null): RunRefusal => ({ ok: false, kind, refusal, run });
  const runs = runNumbers(workspace);
  if (runs.length === 0) {
    const exists = isFolder(join(workspace, finalRunsFolder));
    const missing = exists ? 'final_runs/ holds no run_<n> folder' : 'there is no final_runs/ folder';
    return refuse(
      exists ? 'no-run' : 'no-final-runs',
      `The final script has never been run: ${missing}. Write ${finalScriptName} and ${howToRun}.`,
    );
  }
  const executed = runs.filter(run => wasExecuted(runPath({ workspace, run })));
  const run = wanted ?? executed.at(-1);
  if (run === undefined) {
    return refuse(
      'not-executed',
      `Nothing was executed in final_runs/run_${runs.at(-1)}: it has no log and no screenshots. Do not make run folders by hand; write ${finalScriptName} and ${howToRun}.`,
      runs.at(-1)!,
    );
  }
  if (!executed.includes(run)) {
    return refuse(
      'not-executed',
      `final_runs/run_${run} is not a run: nothing was executed in it. Runs: ${executed.map(n => `run_${n}`).join(', ') || 'none'}.`,
      run,
    );
  }

  const folder = runPath({ workspace, run });
  const name = `final_runs/run_${run}`;
  if (!isPlainFolder({ workspace, run })) {
    return refuse('not-a-regular-file', `${name} is a link or lies behind one. ${again}`, run);
  }
  const unreadable = (file: string, why: 'not-a-regular-file' | 'too-large') =>
    refuse(why, `${name}/${file} ${why === 'too-large' ? 'is too large to be judged' : 'is not a regular file'}. ${again}`, run);

  const scriptPath = join(folder, finalScriptName);
  const script = readRegularFile({ path: scriptPath, maxBytes: runLimits.scriptBytes });
  if (!script.ok) {
    if (script.why !== 'missing') return unreadable(finalScriptName, script.why);
    return refuse('no-script', `${name}/${finalScriptName} is missing. ${again}`, run);
  }
  const logPath = join(folder, logName);
  const log = readRegularFile({ path: logPath, maxBytes: runLimits.logBytes });
  if (!log.ok && log.why !== 'missing') return unreadable(logName, log.why);
  const logText = log.ok ? cleanBytes(log.bytes) : '';

  const record = records.get(run);
  const exitCode = exitCodeOf({ folder, record });
  if (exitCode !== 0) {
    const how = exitCode === null ? 'did not end by itself' : `ended with exit code ${exitCode}`;
    const tail = logText.trim().split('\n').slice(-3).join('\n');
    return refuse(
      'exit-code',
      `The final script of ${name} ${how}. Last lines of its log:\n${tail || '(empty)'}\nCorrect ${finalScriptName} and ${howToRun}.`,
      run,
    );
  }
  if (!log.ok || log.bytes.length === 0) {
    return refuse(
      'no-log',
      `${name}/${logName} is ${log.ok ? 'empty' : 'missing'}. Call step(), shot() and answer() in ${finalScriptName}, then ${howToRun}.`,
      run,
    );
  }

  const shots = readShots({ folder, record, evidence });
  if ('refused' in shots) return unreadable(`screenshots/${shots.refused}`, shots.why);
  if (shots.length === 0) {
    return refuse(
      'no-screenshots',
      `${name}/screenshots holds no image. Call await shot('name') where each critical point can be seen, then ${howToRun}.`,
      run,
    );
  }
  const finalResponse = finalResponseIn(logText);
  if (finalResponse === null) {
    return refuse(
      'no-final-response',
      `${name}/${logName} has no "Final Response:" line. End ${finalScriptName} with answer('…'), then ${howToRun}.`,
      run,
    );
  }

  const sha256 = digest(script.bytes);
  if (wanted === undefined && isStale({ workspace, sha256 })) {
    return refuse(
      'stale',
      `${finalScriptName} was changed after ${name} was made: what is handed in must be what was run. ${capital(howToRun)}.`,
      run,
    );
  }
  const earlier = imagesOfEarlierRuns({ workspace, runs, run });
  const before = (shot: ReadShot) => earlier.get(shot.sha256) ?? capturedBefore({ shot, evidence, record });
  return {
    ok: true,
    run,
    folder,
    script: { path: scriptPath, sha256, text: cleanBytes(script.bytes) },
    log: { path: logPath, sha256: digest(log.bytes), text: logText },
    screenshots: shots.map(shot => ({ ...shot, copiedFrom: shot.evidenceId ? null : before(shot) })),
    evidence: evidence.filter(item => record?.evidenceIds.includes(item.id)),
    downloads: downloads.filter(({ id }) => record?.evidenceIds.includes(id)),
    finalResponse,
    exitCode,
    step: record?.step ?? null,
    altered: alterations({ record, scriptSha256: sha256, shots, files: runFilesOf({ workspace, run }) }),
  };
}

const again = `Do not touch run folders; ${howToRun}.`;
const capital = (text: string) => text[0]!.toUpperCase() + text.slice(1);

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function isPlainFolder({ workspace, run }: { workspace: string; run: number }): boolean {
  try {
    return realpathSync(runPath({ workspace, run })) === runPath({ workspace: realpathSync(workspace), run });
  } catch {
    return false;
  }
}

function wasExecuted(folder: string): boolean {
  const has = (name: string) => lstatSync(join(folder, name), { throwIfNoEntry: false }) !== undefined;
  return has(logName) || has(exitCodeName) || imageNames(folder).length > 0;
}

/** The script's own word when it went through `open()`; else the return code of the command that ran it. */
function exitCodeOf({ folder, record }: { folder: string; record: RunRecord | undefined }): number | null {
  const file = readRegularFile({ path: join(folder, exitCodeName), maxBytes: 16 });
  const written = file.ok ? /^\d{1,3}$/.exec(file.bytes.toString('latin1').trim())?.[0] : undefined;
  if (written !== undefined) return Number(written);
  if (record && record.scriptSha256 === undefined) return record.returncode;
  return null;
}

type ReadShot = Omit<RunShot, 'copiedFrom'>;

function readShots({
  folder,
  record,
  evidence,
}: {
  folder: string;
  record: RunRecord | undefined;
  evidence: readonly EvidenceItem[];
}): ReadShot[] | { refused: string; why: 'not-a-regular-file' | 'too-large' } {
  const names = imageNames(folder);
  if (names.length > 0 && lstatSync(join(folder, 'screenshots')).isSymbolicLink()) return { refused: '', why: 'not-a-regular-file' };
  if (names.length > runLimits.images) return { refused: `(${names.length} images, at most ${runLimits.images})`, why: 'too-large' };
  const own = new Map(evidence.filter(item => record?.evidenceIds.includes(item.id)).map(item => [item.image.sha256, item.id]));
  const shots: ReadShot[] = [];
  for (const name of names) {
    const path = join(folder, 'screenshots', name);
    const image = readRegularFile({ path, maxBytes: runLimits.imageBytes });
    if (!image.ok && image.why === 'missing') continue;
    if (!image.ok) return { refused: name, why: image.why === 'too-large' ? 'too-large' : 'not-a-regular-file' };
    const sha256 = digest(image.bytes);
    const evidenceId = own.get(sha256) ?? null;
    shots.push({ name, path, sha256, mediaType: mediaTypeOf(name), source: evidenceId ? 'harness' : 'claim', evidenceId });
  }
  return shots;
}

function mediaTypeOf(name: string): RunShot['mediaType'] {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return extension === 'png' ? 'image/png' : extension === 'webp' ? 'image/webp' : 'image/jpeg';
}

/** Whether the final script is another than the one that was run. */
function isStale({ workspace, sha256 }: { workspace: string; sha256: string }): boolean {
  const script = readRegularFile({ path: join(workspace, finalScriptName), maxBytes: runLimits.scriptBytes });
  return script.ok && digest(script.bytes) !== sha256;
}

function imagesOfEarlierRuns({ workspace, runs, run }: { workspace: string; runs: number[]; run: number }): Map<string, string> {
  const found = new Map<string, string>();
  for (const earlier of runs.filter(number => number < run).slice(-20)) {
    for (const [name, sha256] of runFilesOf({ workspace, run: earlier }))
      if (name.startsWith('screenshots/')) found.set(sha256, `run_${earlier}`);
  }
  return found;
}

/** The step in which the harness itself saw an image, also when the run it was taken for is gone. */
function capturedBefore({
  shot,
  evidence,
  record,
}: {
  shot: ReadShot;
  evidence: readonly EvidenceItem[];
  record: RunRecord | undefined;
}): string | null {
  const item = evidence.find(({ image, step, source }) => image.sha256 === shot.sha256 && source === 'harness' && step !== record?.step);
  return item ? `step ${item.step}` : null;
}

function alterations({
  record,
  scriptSha256,
  shots,
  files,
}: {
  record: RunRecord | undefined;
  scriptSha256: string;
  shots: ReadShot[];
  files: RunFiles;
}): string[] {
  if (!record) return [];
  const altered: string[] = [];
  if (record.scriptSha256 !== undefined && record.scriptSha256 !== scriptSha256)
    altered.push(`${finalScriptName} is not the script that was executed`);
  for (const [name, sha256] of record.shots) {
    const shot = shots.find(candidate => candidate.name === name);
    if (!shot) altered.push(`screenshots/${name} was taken by the harness and is gone`);
    else if (shot.sha256 !== sha256) altered.push(`screenshots/${name} is not the image the harness took`);
  }
  const later = record.files ? changesIn({ before: record.files, after: files }) : [];
  return [...altered, ...later.filter(change => !altered.some(text => text.startsWith(change.split(' ')[0]!)))];
}
