import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { Document, parse, visit } from 'yaml';
import { WebwrightError } from '../core/errors.ts';
import type { ModelReply, ModelRole } from '../core/model.ts';
import type { Redact } from '../core/redact.ts';
import { promptDigest, type RecordedPrompt, shortDigest } from './recorded-prompt.ts';
import { piecesOf, promptLines } from './recording-file-prompt.ts';
import { type Entry, entrySchema, type Provenance, recordingSchema, recordingSchemaVersion } from './recording-file-schema.ts';

/** One recorded call, its prompt in full. */
export interface RecordedCall {
  role: ModelRole;
  key: string;
  prompt: RecordedPrompt;
  reply: Pick<ModelReply, 'text' | 'model' | 'finishReason' | 'usage' | 'usageEstimated'>;
}

/** A recording in memory. */
export interface Recording {
  task: string;
  provenance: Provenance;
  calls: RecordedCall[];
}

/** A file larger than this is not read. */
const maxBytes = 64 * 1024 * 1024;

const comment = ` Recorded model traffic of one task; WEBWRIGHT_RECORD=record makes it anew.
 To edit it by hand, delete the line "seal: …" below: the recording then counts as scripted.`;

/**
 * Reads a recording. Throws a WebwrightError (`RECORDING`) that names the entry and the remedy when the file is missing, does not
 * parse, is of another version, or was changed after it was sealed. A file without its seal is read as scripted by hand.
 */
export function readRecording(path: string): Recording {
  const fail = failure(path);
  let text: string;
  try {
    if (statSync(path).size > maxBytes) throw fail({ what: 'is too large', seen: `more than ${maxBytes} bytes` });
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof WebwrightError) throw error;
    throw fail({ what: 'cannot be read', seen: (error as Error).message });
  }
  return parseRecording({ text, path });
}

/** {@link readRecording} of a text; `path` is for errors. */
export function parseRecording({ text, path }: { text: string; path: string }): Recording {
  const fail = failure(path);
  let value: unknown;
  try {
    value = parse(text);
  } catch (error) {
    throw fail({ what: 'is not valid YAML', seen: (error as Error).message.split('\n')[0]! });
  }
  const version = (value as { schemaVersion?: unknown } | null)?.schemaVersion;
  if (version !== undefined && version !== recordingSchemaVersion)
    throw fail({ what: 'has another format version', seen: String(version) });
  const parsed = recordingSchema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw fail({ what: 'does not have the form of a recording', seen: `${issue?.path.join('.') || 'file'}: ${issue?.message}` });
  }
  const { task, provenance, seal, entries } = parsed.data;
  if (seal !== undefined) checkSeals({ task, provenance, seal, entries, fail });
  return { task, provenance: seal === undefined ? editedByHand(provenance) : provenance, calls: resolve({ entries, fail }) };
}

/** The text of a recording. Deterministic: same recording, same bytes. */
export function formatRecording({ task, provenance, calls }: Recording): string {
  const label = labels(calls);
  const prompts = promptLines(calls.map(({ prompt, reply }) => ({ pieces: prompt.pieces, reply: reply.text })));
  const entries = calls.map(({ role, key, prompt: { schema }, reply }, index): Entry => {
    const { lines, after } = prompts[index]!;
    const { text, usageEstimated, ...facts } = reply;
    return sealed({
      role,
      key,
      ...(schema && { schema }),
      ...(after !== null && { after: label(calls[after]!) }),
      prompt: lines,
      reply: { ...facts, ...(usageEstimated && { usageEstimated }), ...replyBody(text) },
    });
  });
  const seal = fileSeal({ task, provenance, entries });
  const document = new Document({ schemaVersion: recordingSchemaVersion, task, provenance, seal, entries });
  document.commentBefore = comment;
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'string' && node.value.includes('\n')) node.type = 'BLOCK_LITERAL';
    },
  });
  return document.toString({ lineWidth: 0 });
}

/**
 * Writes a recording so that a reader sees the old file or the new one. Reads its own text back first, and refuses to
 * write when a secret is left in it.
 */
export function writeRecording({ path, recording, redact = text => text }: { path: string; recording: Recording; redact?: Redact }): void {
  const text = formatRecording(recording);
  if (redact(text) !== text) {
    throw new WebwrightError({
      code: 'RECORDING',
      what: `The recording ${path} was not written: a secret is left in it`,
      remedy: 'keep keys out of task ids, model names and call keys',
    });
  }
  if (JSON.stringify(parseRecording({ text, path }).calls) !== JSON.stringify(recording.calls)) {
    throw new WebwrightError({
      code: 'INTERNAL',
      what: `The recording ${path} would not read back as it was written`,
      remedy: 'please report this',
    });
  }
  mkdirSync(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.tmp`;
  writeFileSync(partial, text);
  renameSync(partial, path);
}

/** How calls are named in the file and in messages: `agent step-3`, and `agent step-3 #2` for a key that occurs again. */
export function labels(calls: readonly Pick<RecordedCall, 'role' | 'key'>[]): (call: Pick<RecordedCall, 'role' | 'key'>) => string {
  const seen = new Map<string, number>();
  const names = new Map<object, string>();
  for (const call of calls) {
    const name = `${call.role} ${call.key}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    names.set(call, count === 1 ? name : `${name} #${count}`);
  }
  return call => names.get(call) ?? `${call.role} ${call.key}`;
}

type Fail = (problem: { what: string; seen: string; remedy?: string }) => WebwrightError;

function failure(path: string): Fail {
  return ({ what, seen, remedy = 'record again with WEBWRIGHT_RECORD=record' }) =>
    new WebwrightError({ code: 'RECORDING', what: `The recording ${path} ${what}`, seen, remedy });
}

function editedByHand(provenance: Provenance): Provenance {
  if (provenance.source === 'scripted') return provenance;
  return { source: 'scripted', by: 'edited by hand', date: provenance.date, editedFrom: provenance };
}

function sealed(entry: Omit<Entry, 'seal'>): Entry {
  return { ...entry, seal: entrySeal(entry) };
}

/** The schema's field order makes the JSON canonical, whatever order the file has. */
function entrySeal(entry: Omit<Entry, 'seal'>): string {
  return shortDigest(JSON.stringify(entrySchema.omit({ seal: true }).strip().parse(entry)));
}

function fileSeal({ task, provenance, entries }: { task: string; provenance: Provenance; entries: readonly Entry[] }): string {
  return shortDigest(JSON.stringify([recordingSchemaVersion, task, Object.entries(provenance).sort(), entries.map(({ seal }) => seal)]));
}

function checkSeals({ fail, seal, ...file }: { task: string; provenance: Provenance; entries: Entry[]; seal: string; fail: Fail }): void {
  const remedy =
    'record again with WEBWRIGHT_RECORD=record, or delete the line "seal: …" at its top to keep the edit: it then counts as scripted';
  const label = labels(file.entries);
  for (const entry of file.entries) {
    const expected = entrySeal(entry);
    if (expected !== entry.seal)
      throw fail({
        what: `was changed after it was sealed, in entry "${label(entry)}"`,
        seen: `seal ${entry.seal}, content ${expected}`,
        remedy,
      });
  }
  if (fileSeal(file) !== seal)
    throw fail({
      what: 'was changed after it was sealed, in its header or by adding, removing or moving entries',
      seen: `seal ${seal}`,
      remedy,
    });
}

/** Compact JSON objects are stored as YAML, so that code in them can be reviewed line by line. */
function replyBody(text: string): { text: string } | { json: Record<string, unknown> } {
  try {
    const json: unknown = JSON.parse(text);
    const exact = typeof json === 'object' && json !== null && !Array.isArray(json) && JSON.stringify(json) === text;
    if (exact && !text.includes('__proto__')) return { json: json as Record<string, unknown> };
  } catch {
    // Not JSON: stored as text.
  }
  return { text };
}

function resolve({ entries, fail }: { entries: readonly Entry[]; fail: Fail }): RecordedCall[] {
  const label = labels(entries);
  const byLabel = new Map<string, RecordedCall>();
  return entries.map(entry => {
    const { role, key, reply, schema, after } = entry;
    const parent = after === undefined ? null : byLabel.get(after);
    const pieces =
      parent === undefined
        ? null
        : piecesOf({ lines: entry.prompt, parent: parent && { pieces: parent.prompt.pieces, reply: parent.reply.text } });
    if (!pieces)
      throw fail({ what: `refers to something that is not there, in entry "${label(entry)}"`, seen: `after: ${after ?? '(nothing)'}` });
    const { text, json, usageEstimated, ...facts } = reply;
    const call: RecordedCall = {
      role,
      key,
      prompt: { pieces, ...(schema && { schema }), digest: promptDigest({ pieces, schema }) },
      reply: { ...facts, ...(usageEstimated && { usageEstimated }), text: text ?? JSON.stringify(json ?? {}) },
    };
    if ((text === undefined) === (json === undefined))
      throw fail({ what: `has no reply, or two, in entry "${label(entry)}"`, seen: 'reply.text, reply.json' });
    byLabel.set(label(entry), call);
    return call;
  });
}
