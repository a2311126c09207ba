import { z } from 'zod';
import type { FinalState } from '../../core/evidence.ts';

/**
 * What checks may look at: the end of an attempt, as the harness saw it, and the embedded sites' own memory. A part that is absent makes
 * its checks fail, never pass.
 */
export interface CheckContext extends FinalState {
  finalResponse: string;
  /** State of an embedded site's server; undefined where there is no such site. */
  state?: (site: string) => unknown;
  /** Requests an embedded site received in this attempt, in order; the path includes the query. Undefined where there is no such site. */
  requests?: (site: string) => { method: string; path: string }[] | undefined;
}

/** What came of one check. */
export interface CheckResult {
  pass: boolean;
  expected: string;
  seen: string;
  /** Names of what was looked at. */
  evidence: string[];
  /** Why it failed, where expected and seen do not say it. */
  reason?: string;
}

/** One kind of check: the fields a task may give, and the code that decides. */
export interface CheckKind<Shape extends z.ZodType<{ id: string }> = z.ZodType<{ id: string }>> {
  kind: string;
  schema: Shape;
  /** The requirement in words, for reports. */
  requirement(check: z.infer<Shape>): string;
  run(options: { check: z.infer<Shape>; context: CheckContext }): Promise<CheckResult> | CheckResult;
}

/** Fields that every check has. `requirement` replaces the words we would use. */
export const commonFields = { id: z.string().min(1), requirement: z.string().min(1).optional() };

/** Keeps the link between schema and code while a kind is written down. */
export function checkKind<const Shape extends z.ZodType<{ id: string }>>(kind: CheckKind<Shape>): CheckKind {
  return kind as unknown as CheckKind;
}

/** A value in one line, cut to 300 characters, for `expected` and `seen`. */
export function show(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined');
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 300 ? `${line.slice(0, 299)}…` : line;
}
