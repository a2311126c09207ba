import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { WebwrightError } from '../core/errors.ts';
import { parseReflectionConfig } from '../judge/own-prompts/config.ts';
import { reflectWithOwnPrompts } from '../judge/own-prompts/reflect.ts';
import { openJudge } from './judge/open-judge.ts';
import { UsageError } from './parse-flags.ts';
import { findRun, imageParts, logBeside } from './self-reflection/find-run.ts';
import { countFlag, exitCodes, type FlagValues, listFlag, textFlag, type Verb } from './verb.ts';

/**
 * `webwright self-reflection` for people: Webwright's two-stage judge with four prompts of their own over any images (its flags, output and exit
 * codes; reference: webwright.md §5.3). No gate and no grader ever sees the result. Inside a command of a running attempt the same name asks
 * the harness instead (environments/workspace/command.ts).
 */
export const selfReflection: Verb = {
  summary: 'judges images and a log with four prompts of your own; decides nothing in any test',
  usage: '--config FILE [--workspace-dir FOLDER] [--output FILE] [-c SPEC]…',
  details: [
    '--config FILE                   JSON with image_judge_system_prompt, image_judge_user_prompt, final_verdict_system_prompt,',
    '                                final_verdict_user_prompt (or <name>_file each), and images; - reads standard input',
    '--workspace-dir FOLDER          where relative images and runs are looked for; default: the current folder',
    '--output FILE                   where the JSON goes; default: standard output',
    '--auto-latest-run FOLDER        without images: the newest run_<n> below it; default: final_runs; "" turns it off',
    '--max-image-parse-retries N     tries for each image; default 3',
    '--image-max-new-tokens N        default 1024',
    '--final-max-new-tokens N        default 8192',
    '-c, --model-config SPEC         the judge, as in webwright config; may be repeated',
    '--model NAME, --endpoint URL, --timeout-seconds N   the same as judge.model.model_name, .base_url and .request_timeout_seconds',
    'Placeholders in final_verdict_user_prompt: {image_reasonings} and {action_history_log}, or {{ image_reasonings }} and {{ action_history_log }}.',
    'Exit code 0 for predicted_label 1; 1 for 0, for null, and when the judge could not be asked; 2 for wrong use.',
  ],
  flags: {
    'model-config': { type: 'string', short: 'c', multiple: true },
    model: { type: 'string' },
    endpoint: { type: 'string' },
    'timeout-seconds': { type: 'string' },
    config: { type: 'string' },
    'workspace-dir': { type: 'string' },
    output: { type: 'string' },
    'auto-latest-run': { type: 'string' },
    'max-image-parse-retries': { type: 'string' },
    'image-max-new-tokens': { type: 'string' },
    'final-max-new-tokens': { type: 'string' },
  },
  positionals: { min: 0, max: 0 },
  async run({ flags, io }) {
    const configFile = textFlag(flags['config']);
    if (configFile === undefined)
      throw new UsageError({ what: 'webwright self-reflection needs --config', seen: 'none', remedy: 'webwright self-reflection --help' });
    const read = (path: string) => readFileSync(resolve(io.cwd, path), 'utf8');
    const { prompts, images: named } = parseReflectionConfig({ json: configText({ configFile, read }), read });
    const base = resolve(io.cwd, textFlag(flags['workspace-dir']) ?? '.');
    const output = textFlag(flags['output']);
    const target = output ? resolve(io.cwd, output) : undefined;
    if (target && !existsSync(dirname(target)))
      throw new UsageError({ what: '--output is in a folder that does not exist', seen: target, remedy: `mkdir -p ${dirname(target)}` });

    const latest = textFlag(flags['auto-latest-run']) ?? 'final_runs';
    const run = named.length === 0 && latest !== '' ? findRun(resolve(base, latest)) : null;
    if (run) io.warn(`judging ${run.folder}`);
    const images = imageParts(named.length > 0 ? named.map(path => resolve(base, path)) : (run?.images ?? []));
    const log = logBeside({ images: images.map(({ path }) => path), folders: [run?.folder, target && dirname(target), base] });
    if (images.length === 0) io.warn('There are no images; the verdict rests on the log alone.');
    if (log === null) io.warn('There is no final_script_log.txt; the verdict rests on the images alone.');

    const judge = await openJudge({ specs: specsOf(flags), io });
    const reflection = await reflectWithOwnPrompts({
      model: judge.forAttempt(),
      prompts,
      images,
      log: log ?? '',
      signal: io.signal,
      concurrency: judge.config.judge.concurrency,
      tries: countFlag({ flags, name: 'max-image-parse-retries' }) ?? 3,
      imageMaxTokens: countFlag({ flags, name: 'image-max-new-tokens' }) ?? 1024,
      finalMaxTokens: countFlag({ flags, name: 'final-max-new-tokens' }) ?? 8192,
    }).catch(error => {
      if (!(error instanceof WebwrightError)) throw error;
      io.warn(error.message);
    });
    if (!reflection) return io.signal.aborted ? exitCodes.interrupted : exitCodes.failed;
    const json = JSON.stringify({ ...reflection, endpoint: judge.endpoint }, null, 2);
    if (target) writeFileSync(target, `${json}\n`);
    else io.print(json);
    io.warn(`predicted_label ${reflection.predicted_label}; ${judge.spentText()}`);
    return reflection.predicted_label === 1 ? exitCodes.ok : exitCodes.failed;
  },
};

/** `-c` and, above it, Webwright's own flags for the same. */
function specsOf(flags: FlagValues): string[] {
  const own = { model: 'model_name', endpoint: 'base_url', 'timeout-seconds': 'request_timeout_seconds' };
  const overrides = Object.entries(own).flatMap(([flag, key]) => {
    const value = textFlag(flags[flag]);
    if (value === undefined) return [];
    return [`judge.model.${key}=${flag === 'timeout-seconds' ? value : JSON.stringify(value)}`];
  });
  return [...listFlag(flags['model-config']), ...overrides];
}

function configText({ configFile, read }: { configFile: string; read: (path: string) => string }): string {
  try {
    return configFile === '-' ? readFileSync(0, 'utf8') : read(configFile);
  } catch (error) {
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: 'The self-reflection config cannot be read',
      seen: `${configFile}: ${(error as NodeJS.ErrnoException).code}`,
      remedy: '--config FILE, relative to the current folder',
    });
  }
}
