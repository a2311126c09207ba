import { runCli } from '../../../src/cli/cli.ts';
import type { Io } from '../../../src/cli/verb.ts';
import { findPackageRoot } from '../../../src/config/package-root.ts';

export const packageRoot = findPackageRoot(import.meta.url);

/** The command in this process: its exit code and what it wrote. */
export async function webwright(argv: string[], changes: Partial<Io> = {}): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const io: Io = {
    print: line => void out.push(line),
    warn: line => void err.push(line),
    cwd: packageRoot,
    env: {},
    packageRoot,
    signal: new AbortController().signal,
    ...changes,
  };
  const code = await runCli({ argv, io });
  return { code, out: out.join('\n'), err: err.join('\n') };
}
