import { z } from 'zod';
import { WebwrightError } from './errors.ts';

/** A requirement judged by the grader from evidence. */
export const rubricItemSchema = z.strictObject({
  id: z.string().min(1),
  requirement: z.string().min(1),
  verification: z.string().optional(),
});

/** A requirement decided by code. `kind` selects one of the checks in `src/judge/checks`; the other fields are that check's own. */
export const checkSchema = z.looseObject({ id: z.string().min(1), kind: z.string().min(1) });

/** A file that belongs to the task, e.g. a CV to upload. The agent asks for it by name. */
export const taskFileSchema = z
  .strictObject({
    /** A plain file name; its ending says what it is. */
    name: z.string().regex(/^(?!\.)[^/\\\p{Cc}]{1,100}$/u, 'must be a plain file name'),
    /** Path of the file, from the folder of the Playwright config. */
    path: z.string().min(1).optional(),
    text: z.string().optional(),
    base64: z.base64().optional(),
  })
  .refine(file => [file.path, file.text, file.base64].filter(given => given !== undefined).length === 1, 'needs one of path, text, base64');

export const taskSchema = z.strictObject({
  id: z.string().min(1),
  instruction: z.string().trim().min(1, 'a task needs an instruction'),
  startUrls: z.array(z.string().min(1)).default([]),
  level: z.enum(['easy', 'medium', 'hard']).optional(),
  tags: z.array(z.string()).default([]),
  rubric: z.array(rubricItemSchema).default([]),
  checks: z.array(checkSchema).default([]),
  /** Where the row comes from, e.g. `odysseys`. */
  benchmark: z.string().optional(),
  version: z.string().optional(),
  /** Files for uploads, at most 20. */
  inputs: z.array(taskFileSchema).max(20).default([]),
  /** Hosts outside the public internet that this task may visit, e.g. `shop.localhost`. */
  hosts: z.array(z.string()).default([]),
  /** `key=value` config overrides for this task only, e.g. `agent.step_limit=40`. */
  config: z.array(z.string()).default([]),
  /** Fields of the source row that have no place above. */
  raw: z.record(z.string(), z.unknown()).optional(),
});

export type RubricItem = z.infer<typeof rubricItemSchema>;
export type TaskFile = z.infer<typeof taskFileSchema>;
export type Check = z.infer<typeof checkSchema>;
/** What is asked of the agent, in one form for every benchmark. */
export type Task = z.infer<typeof taskSchema>;
/** A task as an author may write it: only `id` and `instruction` are needed. */
export type TaskInput = z.input<typeof taskSchema>;

/**
 * A task from untrusted input, or one error that names the field.
 *
 * @example
 * parseTask({ id: 'kettle', instruction: 'Find the cheapest blue kettle.' }).rubric; // []
 */
export function parseTask(input: unknown): Task {
  const parsed = taskSchema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const id = (input as { id?: unknown } | null)?.id;
  throw new WebwrightError({
    code: 'TASK_INVALID',
    what: `Task ${typeof id === 'string' ? `"${id}"` : '(no id)'} is not valid: ${issue?.path.join('.') || 'task'}: ${issue?.message}`,
    seen:
      JSON.stringify(issue?.path.reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown> | undefined)?.[key], input))?.slice(
        0,
        200,
      ) ?? 'nothing',
    remedy: 'a task needs at least { id, instruction }; see docs/tasks.md',
  });
}
