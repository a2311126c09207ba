import type { AttemptResult } from '../../../src/core/attempt-result.ts';
import type { Entry } from '../../../src/reporter/entries.ts';

/** An attempt that passed, for tests to vary. */
export function attempt(overrides: Partial<AttemptResult> = {}): AttemptResult {
  return {
    schemaVersion: 1,
    taskId: 'kettle',
    instruction: 'Find the cheapest blue kettle.',
    benchmark: null,
    level: null,
    environment: 'live',
    k: 1,
    repeat: 0,
    outcome: 'passed',
    reason: '2 of 2 checks and rubric items passed',
    ungraded: false,
    exitStatus: 'Submitted',
    limit: null,
    finalResponse: '£24.90',
    predicted_label: 1,
    reasons: 'all points shown',
    items: [],
    gate: 'self_reflection',
    looks: 1,
    steps: 3,
    durationMs: 12_300,
    roles: [
      {
        role: 'agent',
        calls: 3,
        usage: { inputTokens: 1000, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 234, reasoningTokens: 0 },
        costUsd: 0.01,
        durationMs: 9000,
      },
    ],
    costUsd: 0.01,
    agentModel: 'gpt-x',
    judgeModel: 'gpt-x',
    calibration: null,
    source: 'live',
    stale: false,
    egress: 'public, complete',
    sandbox: 'bwrap 0.8.0',
    integrity: 'strong',
    allow: [],
    refusals: 0,
    excluded: null,
    startedAt: '2026-01-02T03:04:05.000Z',
    runFolder: 'reports/runs/r/kettle-0/1',
    seal: { events: 12, head: 'ab'.repeat(32) },
    ...overrides,
  };
}

export function entry(overrides: Partial<AttemptResult> = {}): Entry {
  const own = attempt(overrides);
  const { taskId, outcome, reason, excluded, source } = own;
  return {
    test: { id: 'id', title: 'kettle', project: 'live', file: 'a.spec.ts', line: 1 },
    taskId,
    outcome,
    reason,
    excluded,
    source,
    attempt: own,
  };
}
