import type { ExitStatus } from './exit.ts';
import type { Verdict } from './verdict.ts';

/** DESIGN §7. */
export type Outcome = 'passed' | 'failed' | 'limit' | 'gave_up' | 'invalid' | 'errored' | 'unscored' | 'skipped';

export interface OutcomeResult {
  outcome: Outcome;
  /** One line for people: why it is this outcome. */
  reason: string;
  /** Submitted without rubric and checks: only the coach's label stands behind the outcome. */
  ungraded: boolean;
}

/**
 * The one place where an attempt's outcome is computed.
 *
 * @example
 * outcomeOf({ exitStatus: 'LimitsExceeded', detail: 'steps', verdict }).outcome; // 'limit'
 */
export function outcomeOf({
  exitStatus,
  detail,
  verdict,
  tampering = [],
  skipped,
  gated = true,
}: {
  exitStatus: ExitStatus;
  /** The limit that was reached, or the error's first line. */
  detail: string;
  verdict: Verdict;
  /** Set when something outside the attempt cut it. */
  skipped?: 'budget' | undefined;
  /** What was found that contradicts the harness's own record; anything here makes the attempt invalid. */
  tampering?: string[];
  /** False where the config turns the completion gate off: then the coach's label is not needed. */
  gated?: boolean;
}): OutcomeResult {
  const items = verdict.grader?.items ?? [];
  const ungraded = exitStatus === 'Submitted' && items.length === 0;
  const result = (outcome: Outcome, reason: string): OutcomeResult => ({ outcome, reason, ungraded });

  if (tampering.length > 0) return result('invalid', tampering.join('; '));
  if (skipped) return result('skipped', `${skipped}: ${detail}`);
  switch (exitStatus) {
    case 'EnvironmentError':
      return result('errored', `environment: ${detail}`);
    case 'ModelError':
      return result('errored', `model: ${detail}`);
    case 'Interrupted':
      return result('errored', `harness: ${detail}`);
    case 'LimitsExceeded':
      return result('limit', `limit reached: ${detail}`);
    case 'GaveUp':
      return result('gave_up', detail);
    case 'Submitted':
      break;
  }
  const unasked = items.filter(item => item.status === 'unasked');
  const failed = items.filter(item => item.status === 'fail' || item.status === 'cannot-tell');
  if (failed.length > 0) return result('failed', failed.map(item => `${item.id} ${item.status}: ${item.reason}`).join('; '));
  if (unasked.length > 0) return result('unscored', unasked.map(item => `${item.id}: ${item.reason}`).join('; '));
  if (!ungraded) return result('passed', `${items.length} of ${items.length} checks and rubric items passed`);
  if (verdict.predicted_label === 1 && (gated || verdict.coach)) return result('passed', 'self-reflection passed; no rubric and no checks');
  if (verdict.predicted_label === null) return result('unscored', verdict.reasons || 'nothing judged this attempt');
  return result('failed', verdict.reasons);
}
