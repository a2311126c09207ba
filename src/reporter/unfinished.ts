import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestResult } from '@playwright/test/reporter';
import { type AttemptResult, attemptAttachment, type RoleUsage, type StartedAttempt, startedAttachment } from '../core/attempt-result.ts';
import type { Event } from '../core/events.ts';
import { addUsage, noUsage } from '../core/usage.ts';
import { readEvents } from '../record/event-log.ts';
import { runFolderAt, writeJson } from '../record/run-folder.ts';
import { trajectoryOf } from '../record/trajectory.ts';
import { oneLine } from './text.ts';

/**
 * Completes the attempts of a test that began and never ended, because their worker was killed or the harness failed: what the events
 * hold goes into `trajectory.json`, `run.json` and the reports, with the outcome `errored`. Must be called before other reporters see the result.
 */
export function completeUnfinished({ result, project }: { result: TestResult; project: string }): void {
  const finished = new Set(parsed<AttemptResult>({ result, name: attemptAttachment }).map(({ runFolder }) => runFolder));
  for (const started of parsed<StartedAttempt>({ result, name: startedAttachment })) {
    if (finished.has(started.runFolder)) continue;
    const folder = runFolderAt(join(project, started.runFolder));
    const events = eventsOf(folder.events);
    const error = result.errors[0]?.message?.split('\n')[0] ?? `the test ended ${result.status} while an attempt was running`;
    const attempt = attemptOf({ started, events, error: oneLine(error) });
    const attach = (name: string, path: string) => result.attachments.push({ name, path, contentType: 'application/json' });
    try {
      writeJson(folder.runJson, { ...JSON.parse(readFileSync(folder.runJson, 'utf8')), ...attempt });
      writeFileSync(folder.trajectory, `${JSON.stringify(trajectoryOf(events), null, 2)}\n`);
      attach('trajectory', folder.trajectory);
      attach('run', folder.runJson);
    } catch {
      // The folder is gone (a merge on another machine) or full: the attempt is reported all the same.
    }
    result.attachments.push({ name: attemptAttachment, contentType: 'application/json', body: Buffer.from(JSON.stringify(attempt)) });
  }
}

/** An attempt as its events tell it. */
export function attemptOf({ started, events, error }: { started: StartedAttempt; events: readonly Event[]; error: string }): AttemptResult {
  const calls = events.filter(event => event.type === 'model-called');
  const steps = events.filter(event => event.type === 'action-started').length;
  const looks = events.flatMap(event => (event.type === 'coach-looked' ? [event.verdict] : []));
  const sources = [...new Set(calls.map(({ source }) => source))];
  const known = sources.length === 1 && ['live', 'replayed', 'scripted'].includes(sources[0]!);
  return {
    ...started,
    outcome: 'errored',
    reason: `harness: ${error}`,
    ungraded: false,
    exitStatus: 'Interrupted',
    limit: null,
    finalResponse: '',
    predicted_label: looks.at(-1)?.predicted_label ?? null,
    reasons: looks.at(-1)?.reasons ?? '',
    items: [],
    gate: gateOf(events),
    looks: looks.length,
    steps,
    durationMs: Math.max(0, Date.parse(events.at(-1)?.time ?? started.startedAt) - Date.parse(started.startedAt)),
    roles: rolesOf(calls),
    costUsd: calls.some(({ costUsd }) => costUsd === null) ? null : calls.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0),
    source: known ? (sources[0] as AttemptResult['source']) : sources.length === 0 ? 'live' : 'mixed',
    stale: false,
    sandbox: 'unknown',
    egress: 'unknown',
    integrity: null,
    allow: [],
    refusals: 0,
    excluded: steps === 0 ? 'it failed before the first action' : null,
    seal: null,
  };
}

function gateOf(events: readonly Event[]): AttemptResult['gate'] {
  const agent = events.find(event => event.type === 'attempt-started')?.config['agent'] as Record<string, unknown> | undefined;
  if (agent?.['require_self_reflection_success'] === false) return 'off';
  return agent?.['gate'] === 'facts' ? 'facts' : 'self_reflection';
}

function rolesOf(calls: readonly Extract<Event, { type: 'model-called' }>[]): RoleUsage[] {
  const roles = new Map<string, RoleUsage>();
  for (const { role, usage, costUsd, durationMs } of calls) {
    const before = roles.get(role) ?? { role, calls: 0, usage: noUsage, costUsd: 0, durationMs: 0 };
    roles.set(role, {
      role,
      calls: before.calls + 1,
      usage: addUsage(before.usage, usage),
      costUsd: before.costUsd === null || costUsd === null ? null : before.costUsd + costUsd,
      durationMs: before.durationMs + durationMs,
    });
  }
  return [...roles.values()];
}

function eventsOf(path: string): Event[] {
  try {
    return readEvents(path);
  } catch {
    // No log on this machine, or broken in the middle: then only the start is known.
    return [];
  }
}

function parsed<T>({ result, name }: { result: TestResult; name: string }): T[] {
  return result.attachments.flatMap(attachment => {
    if (attachment.name !== name) return [];
    try {
      return [JSON.parse((attachment.body ?? readFileSync(attachment.path!)).toString('utf8')) as T];
    } catch {
      return [];
    }
  });
}
