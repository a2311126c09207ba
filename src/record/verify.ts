import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Event } from '../core/events.ts';
import { nothingBefore, type RecordSeal } from './event-log.ts';
import { evidenceIndex } from './evidence.ts';
import { jsonText, type RunFolder } from './run-folder.ts';
import { sha256Of } from './sha256.ts';
import { trajectoryOf } from './trajectory.ts';

/** What can be said about a run folder. `no-digest`: it agrees with itself, and nobody kept a digest that says it is the one of then. */
export interface Verification {
  state: 'intact' | 'altered' | 'no-digest';
  /** What is altered, and where. */
  altered: string[];
  /** The chain as it stands now. */
  seal: RecordSeal;
}

/**
 * Compares a run folder with itself and with the digest that was kept elsewhere: each event with the one before it, the images, their
 * index, verdict and config with what the events say of them, the trajectory with the events it is made from, and the end of the
 * chain with `sealed`. The workspace is the agent's and not part of it: what was judged there is in the evidence.
 *
 * @example
 * verifyRecord({ folder: runFolderAt('reports/runs/r/kettle-0/1'), sealed: { events: 41, head: '9f…' } }).state; // 'intact'
 */
export function verifyRecord({ folder, sealed }: { folder: RunFolder; sealed: RecordSeal | null }): Verification {
  const { events, seal, broken } = readChain(folder.events);
  const altered = [
    ...broken,
    ...(sealed ? differencesOf({ seal, sealed }) : []),
    ...alteredEvidence({ folder: folder.evidence, events }),
    ...alteredVerdict({ path: folder.verdict, events }),
    ...alteredTrajectory({ path: folder.trajectory, events }),
    ...alteredConfig({ folder: folder.configSnapshot, events }),
  ];
  return { state: altered.length > 0 ? 'altered' : sealed ? 'intact' : 'no-digest', altered, seal };
}

function readChain(path: string): { events: Event[]; seal: RecordSeal; broken: string[] } {
  const name = basename(path);
  const text = readPlainFile(path);
  if (text === null) return { events: [], seal: { events: 0, head: nothingBefore }, broken: [`${name} is missing, or is no regular file`] };
  const lines = text.toString('utf8').split('\n');
  const rest = lines.pop();
  const broken: string[] = rest ? [`${name} ends in the middle of line ${lines.length + 1}`] : [];
  const events: Event[] = [];
  let head = nothingBefore;
  for (const [index, line] of lines.entries()) {
    const where = `${name} line ${index + 1}`;
    const event = parsed(line);
    if (!event) broken.push(`${where} is no JSON`);
    else if (event.prev !== head)
      broken.push(
        `${where} does not follow ${index === 0 ? 'nothing' : `line ${index}`}: one of them was changed, or lines were removed, added or moved`,
      );
    else if (event.seq !== index) broken.push(`${where} is numbered ${event.seq}`);
    if (event) events.push(event);
    head = sha256Of(line);
  }
  return { events, seal: { events: lines.length, head }, broken };
}

function differencesOf({ seal, sealed }: { seal: RecordSeal; sealed: RecordSeal }): string[] {
  if (seal.head === sealed.head) return [];
  return [
    `the events are not those that were sealed: ${seal.events} ending in ${seal.head.slice(0, 12)}, sealed ${sealed.events} ending in ${sealed.head.slice(0, 12)}`,
  ];
}

function alteredEvidence({ folder, events }: { folder: string; events: readonly Event[] }): string[] {
  const captured = events.filter(event => event.type === 'evidence-captured');
  const lines = readPlainFile(join(folder, evidenceIndex))?.toString('utf8').split('\n').slice(0, -1) ?? [];
  const altered: string[] = [];
  const known = new Set([evidenceIndex, 'downloads']);
  for (const [index, { id, sha256, entrySha256 }] of captured.entries()) {
    const line = lines[index];
    if (line === undefined || sha256Of(line) !== entrySha256) {
      altered.push(`evidence/${evidenceIndex} line ${index + 1} (${id}) is not what was written`);
      continue;
    }
    const name = (JSON.parse(line) as { image: { path: string } }).image.path;
    known.add(name);
    const bytes = readPlainFile(join(folder, name));
    if (bytes === null) altered.push(`evidence/${name} is missing, or is no regular file`);
    else if (sha256Of(bytes) !== sha256) altered.push(`evidence/${name} is not the image that was captured`);
  }
  for (const event of events) {
    if (event.type !== 'download-kept') continue;
    const bytes = readPlainFile(join(folder, 'downloads', event.file));
    if (bytes === null) altered.push(`evidence/downloads/${event.file} is missing, or is no regular file`);
    else if (sha256Of(bytes) !== event.sha256) altered.push(`evidence/downloads/${event.file} is not the file that was saved`);
  }
  if (lines.length > captured.length) altered.push(`evidence/${evidenceIndex} has ${lines.length - captured.length} lines too many`);
  if (altered.length > 0) return altered; // names of what was not captured are known only from an index that is whole
  return namesIn(folder)
    .filter(name => !known.has(name))
    .map(name => `evidence/${name} was never captured`);
}

function alteredVerdict({ path, events }: { path: string; events: readonly Event[] }): string[] {
  const given = events.findLast(event => event.type === 'verdict-given');
  const bytes = readPlainFile(path);
  if (!given) return bytes === null ? [] : ['verdict.json is there, and the events know of no verdict'];
  if (bytes === null) return ['verdict.json is missing, or is no regular file'];
  return sha256Of(bytes) === given.sha256 ? [] : ['verdict.json is not the verdict that was given'];
}

function alteredTrajectory({ path, events }: { path: string; events: readonly Event[] }): string[] {
  const bytes = readPlainFile(path);
  if (bytes === null || bytes.toString('utf8') === jsonText(trajectoryOf(events))) return [];
  return ['trajectory.json is not what the events say (webwright export makes it anew)'];
}

function alteredConfig({ folder, events }: { folder: string; events: readonly Event[] }): string[] {
  const opened = events.find(event => event.type === 'record-opened');
  return Object.entries(opened?.config ?? {}).flatMap(([name, sha256]) => {
    const bytes = readPlainFile(join(folder, name));
    return bytes !== null && sha256Of(bytes) === sha256 ? [] : [`config_snapshot/${name} is not what was written`];
  });
}

function parsed(line: string): Event | null {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Event) : null;
  } catch {
    return null;
  }
}

/** The bytes of a regular file; null for everything else, links too. */
function readPlainFile(path: string): Buffer | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
