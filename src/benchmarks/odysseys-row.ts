import { WebwrightError } from '../core/errors.ts';
import { parseTask, type Task } from '../core/task.ts';

/**
 * A task from a row in the Odysseys format: `task_id`, `confirmed_task`, `website`, `level`, `rubrics: { R1: { requirement, verification } }`
 * and `categories`, and beside these, for tasks of your own, `checks`, `hosts`, `tags` and `config` as in {@link Task}. `website` may be
 * a list. What has no place in a task is kept in `raw`. Throws a WebwrightError with code TASK_INVALID that names the row and the field.
 *
 * @example
 * taskFromOdysseysRow({ row: { task_id: 'kettle', confirmed_task: 'Find the cheapest blue kettle.', website: 'http://shop.localhost/' } }).startUrls;
 * // ['http://shop.localhost/']
 */
export function taskFromOdysseysRow({ row, benchmark, version }: { row: unknown; benchmark?: string; version?: string }): Task {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) {
    throw new WebwrightError({
      code: 'TASK_INVALID',
      what: 'A task row is not an object',
      seen: JSON.stringify(row)?.slice(0, 200) ?? 'undefined',
      remedy: 'a row needs at least { "task_id", "confirmed_task" }; see docs/tasks.md',
    });
  }
  const { task_id, confirmed_task, website, level, rubrics, categories, checks, hosts, tags, config, ...raw } = row as Record<
    string,
    unknown
  >;
  return parseTask({
    id: task_id,
    instruction: confirmed_task,
    startUrls: website === undefined ? [] : [website].flat(),
    level: level ?? undefined,
    tags: [categories, tags].flat().filter(tag => tag !== undefined),
    rubric: rubricFrom(rubrics),
    checks,
    hosts,
    config,
    benchmark,
    version,
    raw: categories === undefined ? raw : { ...raw, categories },
  });
}

/** `{ R1: { requirement, verification } }` as a list; anything else is left for the schema to refuse. */
function rubricFrom(rubrics: unknown): unknown {
  if (typeof rubrics !== 'object' || rubrics === null || Array.isArray(rubrics)) return rubrics;
  return Object.entries(rubrics).map(([id, item]) => {
    if (typeof item !== 'object' || item === null) return item;
    const { requirement, verification } = item as Record<string, unknown>;
    return { id, requirement, verification };
  });
}
