import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Names that users' scripts depend on (DESIGN §8, webwright.md §0.1). */
export const finalRunsFolder = 'final_runs';
export const finalScriptName = 'final_script.mjs';
export const logName = 'final_script_log.txt';
export const exitCodeName = 'exit_code';

/** Images that count as screenshots. */
export const imageName = /\.(png|jpe?g|webp)$/i;

/** The numbers of the folders `run_<digits>` in `<workspace>/final_runs`, ascending; empty when there is none. */
export function runNumbers(workspace: string): number[] {
  let names: string[];
  try {
    names = readdirSync(join(workspace, finalRunsFolder));
  } catch {
    return [];
  }
  return names
    .flatMap(name => /^run_(\d{1,9})$/.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
}

/** `<workspace>/final_runs/run_<run>`. */
export function runPath({ workspace, run }: { workspace: string; run: number }): string {
  return join(workspace, finalRunsFolder, `run_${run}`);
}

/**
 * A name as part of a file name: letters, digits, `-`, `_`; at most 80 characters; `shot` when nothing is left.
 *
 * @example
 * fileSlug('Filter: price < £25'); // 'filter_price_25'
 */
export function fileSlug(name: string): string {
  const slug = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}-]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, 80);
  return slug || 'shot';
}

/**
 * Orders screenshots as Webwright does (webwright.md §5.3): by the number after `final_execution_`, else by the first number in the
 * name, else 0; then by name.
 */
export function byStepThenName(a: string, b: string): number {
  return stepOf(a) - stepOf(b) || (a < b ? -1 : a > b ? 1 : 0);
}

function stepOf(name: string): number {
  return Number(/final_execution_(\d{1,9})/.exec(name)?.[1] ?? /\d{1,9}/.exec(name)?.[0] ?? 0);
}

/** Text after the last `Final Response:` (or `FINAL_RESPONSE:`) of a log, to its end or the next `step`/`error` line; null when there is no such line. */
export function finalResponseIn(log: string): string | null {
  const starts = [...log.matchAll(/^(?:Final Response|FINAL_RESPONSE):[ \t]*/gm)];
  const last = starts.at(-1);
  if (!last) return null;
  const rest = log.slice(last.index + last[0].length);
  const end = /^(?:step \d+ \w+:|error:)/m.exec(rest)?.index ?? rest.length;
  return rest.slice(0, end).trim();
}
