import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { AnswerFormat } from '../../../src/agent/answer-format.ts';
import type { Gate } from '../../../src/agent/gate.ts';
import type { Limits } from '../../../src/agent/limits.ts';
import { Loop, type LoopOptions } from '../../../src/agent/loop.ts';
import type { Environment, Observation } from '../../../src/core/environment.ts';
import type { Model } from '../../../src/core/model.ts';
import { EventLog } from '../../../src/record/event-log.ts';

/** An environment whose observations are given; it keeps what it was asked to run. */
export function fakeEnvironment({ observe = (code: string) => `ran ${code}`, syntax = (_code: string): string | null => null } = {}) {
  const executed: string[] = [];
  const environment: Environment = {
    kind: 'workspace',
    actionField: 'bash_command',
    prepare: async () => observation('ready'),
    syntaxError: async code => syntax(code),
    execute: async ({ code }) => {
      executed.push(code);
      return observation(observe(code));
    },
    completion: async () => ({ material: { images: [], log: '' } }),
    finalState: async () => ({ pages: [], downloads: [] }),
    templateVars: () => ({}),
    serialize: () => ({}),
    close: async () => {},
  };
  return { environment, executed };
}

export function observation(output: string): Observation {
  return { success: true, exception: '', fields: { output } };
}

export const wideLimits: Limits = { steps: 100, timeMs: 60_000, tokens: null, costUsd: null, formatErrors: 6, noActionTurns: 3, looks: 5 };

/** An event log in a folder of its own, with a clock that stands still. */
export function newLog(): EventLog {
  return new EventLog({ path: join(mkdtempSync(join(tmpdir(), 'webwright-unit-')), 'events.jsonl'), now: () => new Date(0) });
}

export const openGate: Gate = async () => ({
  passed: true,
  verdict: { predicted_label: 1, reasons: 'ok', images: [], look: 1, model: 'm' },
});

/** A loop over a fake environment, ready to run. */
export function newLoop({
  model,
  environment = fakeEnvironment().environment,
  gate = openGate,
  limits = {},
  spent = () => ({ tokens: 0, costUsd: 0, timeMs: 0 }),
  log = newLog(),
  signal = new AbortController().signal,
  answer,
  compact,
}: {
  model: Model;
  environment?: Environment;
  gate?: Gate;
  limits?: Partial<Limits>;
  spent?: () => { tokens: number; costUsd: number | null; timeMs: number };
  log?: EventLog;
  signal?: AbortSignal;
  answer?: AnswerFormat;
  compact?: NonNullable<LoopOptions['compact']>;
}) {
  log.append({ type: 'message', step: 0, message: { role: 'system', content: 'system', extra: {} } });
  log.append({ type: 'message', step: 0, message: { role: 'user', content: 'task', extra: {} } });
  const turns: number[] = [];
  const loop = new Loop({
    model,
    environment,
    log,
    gate,
    limits: { ...wideLimits, ...limits },
    view: { keepLastObservations: 0 },
    spent,
    render: {
      observation: ({ observation: { fields }, step }) => `step ${step}: ${fields['output']}`,
      formatError: ({ error }) => `format error: ${error}`,
    },
    attachScreenshot: false,
    answer,
    ...(compact ? { compact } : {}),
    onStep: (_info, act) => act(),
    onTurnEnd: async turn => void turns.push(turn),
    signal,
  });
  return { loop, log, turns };
}
