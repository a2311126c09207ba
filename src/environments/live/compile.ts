import { Script } from 'node:vm';
import { type Options, transformSync } from '@swc/wasm-typescript';

/** What stands before the model's code on its first line; errors subtract its length, so that line and column are the model's. */
export const stepPrefix = '(async () => {';
const stepSuffix = '\n})';

/** Code of a step as JavaScript, or why it cannot be run. */
export type Compiled = { ok: true; js: string } | { ok: false; error: string };

/** Where the code of a step says it comes from, in stack traces. */
export function stepFile(step: number): string {
  return `step-${step}.ts`;
}

/**
 * Turns the body a model wrote (TypeScript, top-level `await` and `return`) into one JavaScript expression: an async
 * function. Types are blanked out in place, so positions stay. Nothing is executed.
 *
 * @example
 * compileStep({ code: 'const n: number = 1; return n', step: 1 }); // { ok: true, js: '(async () => {const n         = 1; return n\n})' }
 */
export function compileStep({ code, step }: { code: string; step: number }): Compiled {
  const filename = stepFile(step);
  let js: string;
  try {
    // The typings name the mode as a string union in one place and an enum in another.
    js = transformSync(`${stepPrefix}${code}${stepSuffix}`, { mode: 'strip-only', filename } as Options).code;
  } catch (error) {
    return { ok: false, error: describe({ error: error as StripError, code }) };
  }
  try {
    new Script(js, { filename, columnOffset: -stepPrefix.length });
    return { ok: true, js };
  } catch (error) {
    const line = Number(new RegExp(`${filename}:(\\d+)`).exec((error as Error).stack ?? '')?.[1] ?? 1);
    return { ok: false, error: located({ message: `SyntaxError: ${(error as Error).message}`, line, code }) };
  }
}

interface StripError {
  code?: string;
  message?: string;
  startLine?: number;
  startColumn?: number;
}

function describe({ error, code }: { error: StripError; code: string }): string {
  const line = error.startLine ?? 1;
  const column = (error.startColumn ?? 0) - (line === 1 ? stepPrefix.length : 0);
  const message = error.message ?? String(error);
  if (/import.*export.*outside of module/.test(message)) {
    return located({
      message:
        "SyntaxError: import and export statements are not available here; page, context, browser, expect, task and state are in scope, and Node's modules load with `await import('node:fs')`",
      line,
      code,
    });
  }
  const kind = error.code === 'UnsupportedSyntax' ? 'TypeScript that is not supported' : 'SyntaxError';
  return located({ message: `${kind}: ${message}`, line, column: column + 1, code });
}

function located({ message, line, column, code }: { message: string; line: number; column?: number; code: string }): string {
  const lines = code.split('\n');
  // An error at the very end is reported on the line of the closing bracket that we added.
  const shown = Math.min(line, lines.length);
  const place = `line ${shown}${column && line <= lines.length ? `, column ${column}` : ''}`;
  return `${message}\n    at ${place}: ${(lines[shown - 1] ?? '').trim().slice(0, 200)}`;
}
