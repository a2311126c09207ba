import type { Download, EvidenceItem } from './evidence.ts';
import type { Message } from './messages.ts';
import type { ModelRole } from './model.ts';
import type { Usage } from './usage.ts';
import type { CoachVerdict, PredictedLabel } from './verdict.ts';

/** What can happen in an attempt. The event log holds these, one JSON object a line, never rewritten. */
export type EventBody =
  /** The first event where tests run: what was planned, before anything happened. `nonce` makes every record its own. */
  | {
      type: 'record-opened';
      test: readonly string[];
      project: string;
      repeat: number;
      retry: number;
      /** sha256 of the whole task, rubric and checks included, which the agent must not read. */
      taskSha256: string;
      configDigest: string;
      /** The files of `config_snapshot/` and their sha256. */
      config: Record<string, string>;
      versions: Record<string, string>;
      nonce: string;
    }
  | { type: 'attempt-started'; task: Record<string, unknown>; config: Record<string, unknown>; environment: Record<string, unknown> }
  /** A message of the conversation. `step` is the step it belongs to; 0 before the first. */
  | { type: 'message'; step: number; message: Message }
  | {
      type: 'model-called';
      role: ModelRole;
      key: string;
      step: number;
      requestDigest: string;
      model: string;
      usage: Usage;
      costUsd: number | null;
      durationMs: number;
      attempts: number;
      finishReason: string;
      source: string;
    }
  | {
      type: 'model-retried';
      role: ModelRole;
      key: string;
      attempt: number;
      failure: string;
      status?: number;
      waitMs: number;
      detail: string;
    }
  | { type: 'model-failed'; role: ModelRole; key: string; failure: string; detail: string }
  | { type: 'action-started'; step: number; code: string }
  | { type: 'action-finished'; step: number; success: boolean }
  /** `sha256` is that of the image, `entrySha256` that of its line in `evidence/index.jsonl`. */
  | { type: 'evidence-captured'; step: number; id: string; sha256: string; entrySha256: string; source: EvidenceItem['source'] }
  /** A file that the browser saved, as it lies in `evidence/downloads/`, with the beginning of its text. */
  | ({ type: 'download-kept'; step: number; file: string } & Omit<Download, 'path'>)
  /** The agent's plan.md, whenever it has changed. */
  | { type: 'plan-noted'; step: number; text: string }
  /** The end of a turn, with what an exact resume needs besides the messages: counters, what was spent, and the environment's own state. */
  | {
      type: 'turn-ended';
      step: number;
      counters: Record<string, number>;
      spent: { tokens: number; costUsd: number | null };
      state: Record<string, unknown>;
    }
  /** The log of the run that was handed in, as the judges see it. */
  | { type: 'run-log-noted'; step: number; text: string }
  | { type: 'gate-decided'; step: number; passed: boolean; reason: string }
  | { type: 'coach-looked'; step: number; verdict: CoachVerdict }
  | { type: 'history-compacted'; step: number; summary: string; upToSeq: number }
  | { type: 'limit-reached'; step: number; limit: string }
  | { type: 'note'; step: number; text: string }
  /** `sha256` is that of `verdict.json`. */
  | { type: 'verdict-given'; predicted_label: PredictedLabel; sha256: string }
  | { type: 'attempt-ended'; exit: Record<string, unknown> };

/** An event as it stands in `events.jsonl`: `seq` counts from 0, `time` is ISO 8601, `prev` is the sha256 of the line before. */
export type Event = { seq: number; time: string; prev?: string } & EventBody;
