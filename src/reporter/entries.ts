import { readFileSync } from 'node:fs';
import type { Suite, TestCase, TestResult } from '@playwright/test/reporter';
import { type AttemptResult, attemptAttachment, taskAnnotation } from '../core/attempt-result.ts';
import type { Outcome } from '../core/outcome.ts';

/** The test an entry belongs to. `file` is relative to the test folder. */
export interface TestReference {
  id: string;
  title: string;
  project: string;
  file: string;
  line: number;
}

/** One planned attempt: what its worker handed over, or, where nothing was, why not. */
export interface Entry {
  test: TestReference;
  taskId: string;
  outcome: Outcome;
  reason: string;
  excluded: string | null;
  source: AttemptResult['source'];
  attempt: AttemptResult | null;
}

/** Every planned attempt of a run, in the order of the suite. Tests that are no task and never ran an agent have no entry. */
export function entriesOf(suite: Suite): Entry[] {
  const entries = suite.allTests().flatMap(entriesOfTest);
  // Nobody knows where an attempt that never was would have got its replies: most likely where its neighbours did.
  return entries.map(entry => (entry.attempt ? entry : { ...entry, source: usualSource({ entries, project: entry.test.project }) }));
}

function entriesOfTest(testCase: TestCase): Entry[] {
  // A retried pass is pass@k in disguise: only the first try counts.
  const result = testCase.results[0];
  const test = reference(testCase);
  const attempts = (result?.attachments ?? []).filter(({ name }) => name === attemptAttachment).map(readAttempt);
  if (attempts.length > 0) {
    return attempts.map(attempt =>
      'unreadable' in attempt
        ? withoutAttempt({ test, taskId: taskIdOf(testCase) ?? test.title, outcome: 'errored', reason: attempt.unreadable, excluded: null })
        : {
            test,
            attempt,
            taskId: attempt.taskId,
            outcome: attempt.outcome,
            reason: attempt.reason,
            excluded: attempt.excluded,
            source: attempt.source,
          },
    );
  }
  const taskId = taskIdOf(testCase);
  return taskId === undefined ? [] : [withoutAttempt({ test, taskId, ...whyNone({ testCase, result }) })];
}

function whyNone({
  testCase,
  result,
}: {
  testCase: TestCase;
  result: TestResult | undefined;
}): Pick<Entry, 'outcome' | 'reason' | 'excluded'> {
  if (!result) return { outcome: 'skipped', reason: 'did not run', excluded: 'did not run' };
  if (result.status === 'skipped') {
    const mark = [...result.annotations, ...testCase.annotations].find(({ type }) => type === 'skip' || type === 'fixme');
    const reason = mark ? (mark.description ?? 'skipped without a reason') : 'did not run';
    return { outcome: 'skipped', reason, excluded: reason };
  }
  const error = result.errors[0]?.message?.split('\n')[0] ?? `the test ended ${result.status} without an attempt`;
  // Had an attempt begun, there would be one here, also of a worker that was killed.
  return { outcome: 'errored', reason: `harness: ${error}`, excluded: 'it failed before the first action' };
}

function withoutAttempt(entry: Omit<Entry, 'source' | 'attempt'>): Entry {
  return { ...entry, source: 'live', attempt: null };
}

/** What most attempts of the project had, else of the run, else `live`. */
function usualSource({ entries, project }: { entries: Entry[]; project: string }): Entry['source'] {
  const made = entries.filter(({ attempt }) => attempt !== null);
  const own = made.filter(({ test }) => test.project === project);
  const sources = (own.length > 0 ? own : made).map(({ source }) => source);
  const count = (source: string) => sources.filter(other => other === source).length;
  return sources.sort((a, b) => count(b) - count(a))[0] ?? 'live';
}

function readAttempt({ body, path }: TestResult['attachments'][number]): AttemptResult | { unreadable: string } {
  try {
    const attempt = JSON.parse((body ?? readFileSync(path!)).toString('utf8')) as AttemptResult;
    if (attempt.schemaVersion !== 1)
      return { unreadable: `harness: the attempt has schema version ${attempt.schemaVersion}, this reporter reads 1` };
    return attempt;
  } catch (error) {
    return { unreadable: `harness: the attempt could not be read: ${error instanceof Error ? error.message : error}` };
  }
}

function reference(testCase: TestCase): TestReference {
  const [, project = '', file = ''] = testCase.titlePath();
  return { id: testCase.id, title: testCase.titlePath().slice(3).join(' › '), project, file, line: testCase.location.line };
}

function taskIdOf(testCase: TestCase): string | undefined {
  return testCase.annotations.find(({ type }) => type === taskAnnotation)?.description;
}
