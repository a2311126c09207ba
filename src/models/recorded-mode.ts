import { WebwrightError } from '../core/errors.ts';

/** `off`: live only. `replay`: recorded only. `record`: live, and a new recording. `auto`: replay what is recorded, record what is missing. */
export type RecordMode = 'off' | 'replay' | 'record' | 'auto';

const modes: readonly string[] = ['off', 'replay', 'record', 'auto'] satisfies RecordMode[];

/**
 * The mode asked for by `WEBWRIGHT_RECORD`, or else by Playwright's `--update-snapshots` (`-u` records again), or null
 * when neither says anything. The variable wins, so that `WEBWRIGHT_RECORD=off … -u` updates screenshots without spending money.
 *
 * @example
 * recordMode({ env: process.env, updateSnapshots: testInfo.config.updateSnapshots }) ?? 'replay';
 */
export function recordMode({
  env,
  updateSnapshots,
}: {
  env: Record<string, string | undefined>;
  updateSnapshots?: 'all' | 'changed' | 'missing' | 'none' | 'default';
}): RecordMode | null {
  const asked = env['WEBWRIGHT_RECORD'];
  if (asked) {
    if (modes.includes(asked)) return asked as RecordMode;
    throw new WebwrightError({
      code: 'CONFIG_INVALID',
      what: 'WEBWRIGHT_RECORD has an unknown value',
      seen: asked.slice(0, 40),
      remedy: `WEBWRIGHT_RECORD=${modes.join('|')}`,
    });
  }
  // `missing` and `default` are what Playwright says when nobody asked.
  return updateSnapshots === 'all' || updateSnapshots === 'changed' ? 'record' : null;
}
