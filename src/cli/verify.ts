import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { AttemptResult } from '../core/attempt-result.ts';
import { WebwrightError } from '../core/errors.ts';
import { runFolderAt } from '../record/run-folder.ts';
import { verifyRecord } from '../record/verify.ts';
import { exitCodes, textFlag, type Verb } from './verb.ts';

/** `webwright verify`: whether a run folder is still what its attempt left. */
export const verify: Verb = {
  summary: 'says whether a run folder is intact, altered (where), or has no digest to compare with',
  usage: '<run folder> [--results FILE] [--head SHA256]',
  details: [
    '--results FILE   a results.jsonl with the digest of the attempt; default: benchmark/results.jsonl above the run folder',
    '--head SHA256    the digest itself, as the report and the annotation "record" show it',
    `exit code ${exitCodes.ok} intact, ${exitCodes.failed} altered, ${exitCodes.unscored} nothing to compare with`,
  ],
  flags: { results: { type: 'string' }, head: { type: 'string' } },
  positionals: { min: 1, max: 1 },
  async run({ flags, positionals: [given = ''], io }) {
    const path = resolve(io.cwd, given);
    const folder = runFolderAt(path);
    if (!existsSync(path) || !statSync(path).isDirectory()) {
      throw new WebwrightError({
        code: 'CONFIG_INVALID',
        what: 'This is no run folder',
        seen: path,
        remedy: 'give the folder of one attempt, reports/runs/<run>/<test>/<k>',
      });
    }
    const results = textFlag(flags['results']);
    const head = textFlag(flags['head']);
    const result = resultOf({ path, results: results === undefined ? resultsAbove(path) : resolve(io.cwd, results) });
    const sealed = head === undefined ? (result?.seal ?? null) : { events: result?.seal?.events ?? 0, head };
    const { state, altered, seal } = verifyRecord({ folder, sealed });
    const found = [...altered, ...(result ? differentResult({ path: folder.runJson, result }) : [])];
    if (found.length > 0) {
      io.print(`altered: ${path}`);
      for (const line of found) io.print(`  ${line}`);
      return exitCodes.failed;
    }
    if (state === 'no-digest') {
      io.print(
        `no digest to compare with: the ${seal.events} events agree with each other and with the files, but nothing says they are those of then`,
      );
      io.print('  give --results with the results.jsonl of the run, or --head with the digest that its report shows');
      return exitCodes.unscored;
    }
    io.print(`intact: ${seal.events} events, sha256 ${seal.head}`);
    return exitCodes.ok;
  },
};

/** `benchmark/results.jsonl` in the nearest folder above that has one: `reports/`, as configured by default. */
function resultsAbove(path: string): string | null {
  for (let above = dirname(path); above !== dirname(above); above = dirname(above)) {
    const file = join(above, 'benchmark', 'results.jsonl');
    if (existsSync(file)) return file;
  }
  return null;
}

/** The line of an attempt in a results file. */
function resultOf({ path, results }: { path: string; results: string | null }): AttemptResult | undefined {
  if (results === null) return undefined;
  const lines = readFileSync(results, 'utf8').split('\n').filter(Boolean);
  return lines
    .map(line => JSON.parse(line) as AttemptResult)
    .find(({ runFolder }) => runFolder && `/${toSlashes(path)}`.endsWith(`/${runFolder}`));
}

const toSlashes = (path: string) => path.replaceAll('\\', '/');

/** Fields of `run.json` that are not what the reporter was handed. */
function differentResult({ path, result }: { path: string; result: AttemptResult }): string[] {
  let own: Record<string, unknown>;
  try {
    own = JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>;
  } catch {
    return ['run.json is missing or no JSON'];
  }
  return Object.entries(result).flatMap(([name, value]) =>
    name === 'test' || isDeepStrictEqual(own[name], value) ? [] : [`run.json: ${name} is not what the reporter was handed`],
  );
}
