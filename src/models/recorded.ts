import { existsSync } from 'node:fs';
import { ModelCallError, WebwrightError } from '../core/errors.ts';
import type { EventBody } from '../core/events.ts';
import type { Model, ModelReply, ModelRequest } from '../core/model.ts';
import type { Redact } from '../core/redact.ts';
import type { RecordMode } from './recorded-mode.ts';
import { nearestCall } from './recorded-nearest.ts';
import {
  firstDifference,
  type RecordedPrompt,
  recordedPrompt,
  type Volatile,
  withoutPlaceholders,
  withPlaceholders,
} from './recorded-prompt.ts';
import { mergedProvenance, type NewProvenance } from './recorded-provenance.ts';
import { labels, type RecordedCall, readRecording, writeRecording } from './recording-file.ts';
import type { Provenance } from './recording-file-schema.ts';
import { abortedError } from './scripted.ts';

export interface RecordedModelOptions {
  /** The recording: one YAML file per task. */
  file: string;
  task: string;
  mode: Exclude<RecordMode, 'off'>;
  /** Asked for what is to be recorded; needed by `record`. */
  live?: Model;
  /** An unknown call fails, also in `auto` (CI). Otherwise it goes to `live`, when there is one. */
  strict: boolean;
  /** How new replies come about. The model ids of a live recording are taken from its replies. */
  provenance?: NewProvenance;
  redact?: Redact;
  /** Values of this run that stand as `⟦name⟧` in the recording; a function when they become known later. */
  volatile?: Volatile | (() => Volatile);
  /** Receives a `note` for a changed prompt, a changed image or a call that had to go live. */
  onEvent?: (event: EventBody) => void;
}

/** A model with a recording behind it. */
export interface RecordedModel extends Model {
  /** A prompt has changed since the recording was made. */
  readonly stale: boolean;
  /** Calls whose images are not the recorded ones: a warning, because fonts differ between machines. */
  readonly changedImages: readonly string[];
  /** Where the replayed replies come from; null when nothing is recorded yet. */
  readonly provenance: Provenance | null;
  /** Recorded calls nobody asked for, e.g. `agent step-9`. */
  unusedEntries(): string[];
  /** Writes what was recorded; the old file stays as it was until here. A new recording in which a call got no reply goes to `….incomplete.yaml` beside it. */
  close(): void;
}

/**
 * Replays a recording, makes one, or both. Calls are found by role, key and occurrence, so a changed prompt or another
 * machine's screenshots still find theirs: the change is reported, not fatal. Throws a WebwrightError (`RECORDING`) at
 * once when the file is missing in replay mode or was tampered with, and ModelCallError (`recording`) for an unknown call.
 *
 * @example
 * const model = recordedModel({ file: 'fixtures/recordings/kettle.yaml', task: 'kettle', mode: 'replay', strict: Boolean(process.env.CI) });
 */
export function recordedModel({
  file,
  task,
  mode,
  live,
  strict,
  provenance,
  redact = text => text,
  volatile = {},
  onEvent = () => {},
}: RecordedModelOptions): RecordedModel {
  const isRecorded = existsSync(file);
  if ((mode === 'record' || (mode === 'auto' && !isRecorded)) && !(live && provenance)) {
    throw new WebwrightError({
      code: 'RECORDING',
      what: `WEBWRIGHT_RECORD=${mode} needs a model to record`,
      seen: file,
      remedy: 'set a model and its key',
    });
  }
  const recording = mode === 'replay' || (mode === 'auto' && isRecorded) ? readRecording(file) : null;
  if (recording && recording.task !== task) {
    throw new WebwrightError({
      code: 'RECORDING',
      what: `The recording ${file} is of another task`,
      seen: `${recording.task}, not ${task}`,
      remedy: 'record again with WEBWRIGHT_RECORD=record',
    });
  }
  const old = recording?.calls ?? [];
  const label = labels(old);
  const slots: { call?: RecordedCall }[] = [];
  const asked = new Map<string, number>();
  const used = new Set<RecordedCall>();
  const stale = new Set<string>();
  const differences = new Set<string>();
  const changedImages = new Set<string>();
  const currentVolatile = () => (typeof volatile === 'function' ? volatile() : volatile);

  const note = (request: ModelRequest, text: string) => {
    const step = Number(/^step-(\d+)/.exec(request.key)?.[1] ?? 0);
    onEvent({ type: 'note', step, text: `recording: ${request.role} ${request.key}: ${text}` });
  };

  const replay = ({ request, prompt, call }: { request: ModelRequest; prompt: RecordedPrompt; call: RecordedCall }): ModelReply => {
    used.add(call);
    const difference = firstDifference({ recorded: call.prompt, now: prompt });
    if (difference) {
      stale.add(label(call));
      // A changed system prompt differs in the same lines in every call.
      if (!differences.has(difference)) note(request, `the prompt has changed since the recording was made; ${difference}`);
      differences.add(difference);
    } else if (imagesOf(call.prompt) !== imagesOf(prompt)) {
      if (changedImages.size === 0)
        note(request, 'the images are not the recorded ones (fonts and browsers differ); later ones are only counted');
      changedImages.add(label(call));
    }
    return {
      ...call.reply,
      text: withoutPlaceholders({ text: call.reply.text, volatile: currentVolatile() }),
      costUsd: 0,
      durationMs: 0,
      attempts: 0,
      source: 'replayed',
    };
  };

  /** The place in the file is that of the call's start, so that parallel calls are always written in the same order. */
  const record = async ({
    request,
    prompt,
    model,
  }: {
    request: ModelRequest;
    prompt: RecordedPrompt;
    model: Model;
  }): Promise<ModelReply> => {
    const slot: { call?: RecordedCall } = {};
    slots.push(slot);
    const reply = await model.complete(request);
    if (provenance?.source === 'live' && reply.source !== 'live') {
      throw new WebwrightError({
        code: 'RECORDING',
        what: `A ${reply.source} reply cannot be recorded as live`,
        seen: `${request.role} ${request.key}`,
        remedy: 'record it with provenance { source: "scripted", by, date }',
      });
    }
    const { finishReason, usage, usageEstimated } = reply;
    const text = withPlaceholders({ text: redact(reply.text.toWellFormed()), volatile: currentVolatile() });
    slot.call = {
      role: request.role,
      key: request.key,
      prompt,
      reply: { model: redact(reply.model), finishReason, usage: { ...usage }, ...(usageEstimated && { usageEstimated }), text },
    };
    return reply;
  };

  return {
    name: live?.name ?? (recording?.provenance.source === 'live' ? recording.provenance.model : 'recorded'),
    provider: live?.provider ?? 'recorded',
    get stale() {
      return stale.size > 0;
    },
    get changedImages() {
      return [...changedImages];
    },
    get provenance() {
      return recording?.provenance ?? null;
    },
    unusedEntries: () => old.filter(call => !used.has(call)).map(label),
    async complete(request) {
      if (request.signal.aborted) throw abortedError(request);
      const prompt = recordedPrompt({ request, redact, volatile: currentVolatile() });
      const occurrence = count(asked, `${request.role} ${request.key}`);
      const call = old.filter(({ role, key }) => role === request.role && key === request.key)[occurrence];
      if (call) return replay({ request, prompt, call });
      if (live && provenance && (mode === 'record' || (mode === 'auto' && !strict))) return record({ request, prompt, model: live });
      if (live && !strict) {
        note(request, 'not recorded; asked the live model');
        return live.complete(request);
      }
      throw unknownCall({ file, request, prompt, old, label });
    },
    close() {
      const started = slots.splice(0);
      const fresh = started.flatMap(({ call }) => call ?? []);
      if (fresh.length === 0 || !provenance) return;
      const isWhole = mode === 'auto' || fresh.length === started.length;
      const path = isWhole ? file : file.replace(/(\.ya?ml)?$/, '.incomplete$1');
      const merged = mergedProvenance({
        before: recording?.provenance ?? null,
        now: provenance,
        models: fresh.map(({ reply }) => reply.model),
      });
      writeRecording({ path, recording: { task, provenance: merged, calls: [...old, ...fresh] }, redact });
      if (!isWhole)
        onEvent({
          type: 'note',
          step: 0,
          text: `recording: ${started.length - fresh.length} calls got no reply; what there is went to ${path}`,
        });
    },
  };
}

function imagesOf({ pieces }: RecordedPrompt): string {
  return pieces.flatMap(({ image }) => image ?? []).join();
}

function count(counts: Map<string, number>, name: string): number {
  const before = counts.get(name) ?? 0;
  counts.set(name, before + 1);
  return before;
}

function unknownCall({
  file,
  request,
  prompt,
  old,
  label,
}: {
  file: string;
  request: ModelRequest;
  prompt: RecordedPrompt;
  old: readonly RecordedCall[];
  label: (call: RecordedCall) => string;
}): ModelCallError {
  const nearest = nearestCall({ calls: old, role: request.role, key: request.key, prompt });
  const difference = nearest && firstDifference({ recorded: nearest.prompt, now: prompt });
  return new ModelCallError({
    failure: 'recording',
    what: `The recording ${file} has no call "${request.role} ${request.key}"`,
    seen: nearest
      ? `nearest entry "${label(nearest)}"${difference ? `; ${difference}` : ', with the same prompt'}`
      : `no calls of role ${request.role}, ${old.length} in all`,
    remedy: 'WEBWRIGHT_RECORD=auto adds it, WEBWRIGHT_RECORD=record (or -u) records the task anew; both need a key',
  });
}
