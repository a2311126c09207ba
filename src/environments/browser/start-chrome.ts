import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { WebwrightError } from '../../core/errors.ts';

/** A browser that we started and that others can attach to. */
export interface StartedChrome {
  pid: number;
  close(): Promise<void>;
}

/**
 * Starts Chrome, Chromium or Edge with a profile and a debugging port of its own, and waits until it answers there. It outlives this
 * process unless it is closed.
 *
 * @throws WebwrightError BROWSER when it cannot be started, ends at once, or does not answer within `timeoutMs`.
 */
export async function startChrome({
  executablePath,
  url,
  profile,
  args,
  timeoutMs,
}: {
  executablePath: string;
  /** Where it shall answer; its host is this machine. */
  url: string;
  profile: string;
  args: readonly string[];
  timeoutMs: number;
}): Promise<StartedChrome> {
  const port = new URL(url).port || '80';
  mkdirSync(profile, { recursive: true });
  const child = spawn(
    executablePath,
    [
      '--remote-debugging-address=127.0.0.1',
      `--remote-debugging-port=${port}`,
      `--user-data-dir=${profile}`,
      '--no-first-run',
      '--no-default-browser-check',
      ...args,
      'about:blank',
    ],
    { detached: process.platform !== 'win32', stdio: 'ignore' },
  );
  child.unref();
  let ended: string | undefined;
  const exited = new Promise<void>(resolve => {
    child.once('error', error => {
      ended = error.message;
      resolve();
    });
    child.once('exit', (code, signal) => {
      ended ??= `it ended with ${signal ?? `exit code ${code}`}`;
      resolve();
    });
  });
  const failed = (what: string) =>
    new WebwrightError({
      code: 'BROWSER',
      what,
      seen: `${executablePath} at ${url}${ended ? `: ${ended}` : ''}`,
      remedy: `start it yourself with --remote-debugging-port=${port} --user-data-dir=<folder>, or set cdp.executablePath; a browser that already runs on this profile must be closed first`,
    });
  const deadline = performance.now() + timeoutMs;
  while (!(await answersCdp(url))) {
    if (ended !== undefined) throw failed('The browser could not be started');
    if (performance.now() > deadline) {
      kill(child.pid);
      throw failed(`The browser did not answer within ${timeoutMs / 1000} s`);
    }
    await Promise.race([delay(100), exited]);
  }
  return {
    pid: child.pid!,
    async close() {
      kill(child.pid);
      await Promise.race([exited, delay(5_000, undefined, { ref: false })]);
      kill(child.pid, 'SIGKILL');
    },
  };
}

/** Whether a browser answers on its debugging address (webwright.md §3.3). */
export async function answersCdp(url: string): Promise<boolean> {
  try {
    const reply = await fetch(new URL('/json/version', url), { signal: AbortSignal.timeout(500) });
    return reply.ok;
  } catch {
    return false;
  }
}

function kill(pid: number | undefined, signal: NodeJS.Signals = 'SIGTERM'): void {
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    // it is gone
  }
}
