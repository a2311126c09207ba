import { WebwrightError } from '../../core/errors.ts';
import type { Check } from '../../core/task.ts';
import type { ItemVerdict } from '../../core/verdict.ts';
import { answerEqualsCheck } from './answer-equals.ts';
import { answerIncludesCheck } from './answer-includes.ts';
import { answerNumberCheck } from './answer-number.ts';
import type { CheckContext, CheckKind } from './check-kind.ts';
import { downloadCheck } from './download.ts';
import { nearest } from './nearest.ts';
import { pageTextCheck } from './page-text.ts';
import { requestSeenCheck } from './request-seen.ts';
import { serverStateCheck } from './server-state.ts';
import { tabOpenCheck } from './tab-open.ts';
import { urlCheck } from './url.ts';

/** Every kind of check a task can have. */
export const checkKinds: readonly CheckKind[] = [
  urlCheck,
  pageTextCheck,
  tabOpenCheck,
  serverStateCheck,
  requestSeenCheck,
  answerIncludesCheck,
  answerNumberCheck,
  answerEqualsCheck,
  downloadCheck,
];

interface ReadyCheck {
  id: string;
  requirement: string;
  run(context: CheckContext): Promise<ItemVerdict>;
}

/**
 * Throws a {@link WebwrightError} (`TASK_INVALID`) that names the check, the field and the nearest kind that exists, before anything is
 * spent. Fields may be misspelt by authors, so unknown ones are errors too; ids must differ.
 *
 * @example
 * validateChecks([{ id: 'C1', kind: 'url', url: 'http://shop.localhost/cart' }]);
 */
export function validateChecks(checks: readonly Check[]): void {
  const ids = new Set<string>();
  for (const check of checks) {
    ready(check);
    if (ids.has(check.id))
      throw invalid({ check, what: 'has the id of another check', seen: check.id, remedy: 'give each check an id of its own' });
    ids.add(check.id);
  }
}

/**
 * Runs the checks one after the other; each answers with expected, seen and what it looked at. A check that cannot be run (no such
 * site, a broken page, longer than `timeoutMs`) fails with the reason.
 *
 * @example
 * const items = await runChecks({ checks: task.checks, context });
 */
export async function runChecks({
  checks,
  context,
  timeoutMs = 10_000,
}: {
  checks: readonly Check[];
  context: CheckContext;
  timeoutMs?: number;
}): Promise<ItemVerdict[]> {
  const items: ItemVerdict[] = [];
  for (const { id, requirement, run } of checks.map(ready)) {
    try {
      items.push(await withDeadline({ work: run(context), timeoutMs }));
    } catch (error) {
      const reason = `could not be checked: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`;
      items.push({ id, kind: 'check', requirement, status: 'fail', reason, evidence: [] });
    }
  }
  return items;
}

function ready(check: Check): ReadyCheck {
  const kind = checkKinds.find(candidate => candidate.kind === check.kind);
  if (!kind) {
    const names = checkKinds.map(candidate => candidate.kind);
    const guess = nearest({ word: check.kind, among: names });
    throw invalid({
      check,
      what: `has the unknown kind "${check.kind}"`,
      remedy: `${guess ? `did you mean "${guess}"? ` : ''}kinds: ${names.join(', ')}`,
    });
  }
  const parsed = kind.schema.safeParse(check);
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    const what = `(kind "${check.kind}") is not valid: ${issue.path.join('.')}${issue.path.length > 0 ? ': ' : ''}${issue.message}`;
    throw invalid({ check, what, seen: JSON.stringify(check).slice(0, 200), remedy: 'see docs/tasks.md for the fields of each kind' });
  }
  const requirement = (check['requirement'] as string | undefined) ?? kind.requirement(parsed.data);
  return {
    id: check.id,
    requirement,
    run: async context => {
      const { pass, expected, seen, evidence, reason } = await kind.run({ check: parsed.data, context });
      const status = pass ? 'pass' : 'fail';
      const why = reason ?? (pass ? `seen: ${seen}` : `expected ${expected}, seen ${seen}`);
      return { id: check.id, kind: 'check', requirement, status, reason: why, evidence, expected, seen };
    },
  };
}

function invalid({ check, what, ...rest }: { check: Check; what: string; seen?: string; remedy: string }): WebwrightError {
  return new WebwrightError({ code: 'TASK_INVALID', what: `Check "${check.id}" ${what}`, ...rest });
}

async function withDeadline<T>({ work, timeoutMs }: { work: Promise<T>; timeoutMs: number }): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${timeoutMs} ms`)), timeoutMs);
  });
  return Promise.race([work, deadline]).finally(() => clearTimeout(timer));
}
