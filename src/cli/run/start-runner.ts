import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { WebwrightError } from '../../core/errors.ts';
import type { Io } from '../verb.ts';

/** Our compiled fixtures, which generated specs import. Throws INTERNAL where the package is not built. */
export function compiledFixtures({ packageRoot }: Pick<Io, 'packageRoot'>): string {
  const folder = join(packageRoot, 'dist', 'fixtures');
  if (existsSync(join(folder, 'index.js'))) return folder;
  throw new WebwrightError({ code: 'INTERNAL', what: 'The package is not built', seen: folder, remedy: 'npm run build' });
}

/** Runs Playwright's own command, the copy that our fixtures import (two copies in one run refuse each other), and returns its exit code. */
export async function startRunner({
  configFile,
  env,
  io,
}: {
  configFile: string;
  env: Record<string, string>;
  io: Io;
}): Promise<number | null> {
  const cli = createRequire(join(io.packageRoot, 'package.json')).resolve('@playwright/test/cli');
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [cli, 'test', '--config', configFile], {
      cwd: io.cwd,
      env: { ...io.env, ...env },
      stdio: 'inherit',
    });
    child.on('error', reject);
    child.on('close', resolve);
  });
}
