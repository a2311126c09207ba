import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The project's folder; every script runs there. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const children = new Set();
let interrupted = false;

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    interrupted = true;
    // SIGINT is what Playwright and npm answer by ending their own children.
    for (const child of children) child.kill('SIGINT');
    setTimeout(() => {
      for (const child of children) child.kill('SIGKILL');
      process.exit(130);
    }, 15_000).unref();
    if (children.size === 0) process.exit(130);
  });
}

/**
 * Runs a program to its end and returns its exit code (1 when it could not be started or was killed). Ctrl-C ends it with us.
 * `silenceMs`: it is killed after printing nothing for so long. `output`: `show`, `on-failure` (all of it, at the end) or `none`.
 */
export async function run(command, args, { cwd = root, env = {}, silenceMs, output = 'show', shell = false } = {}) {
  const piped = output !== 'show' || silenceMs !== undefined;
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', piped ? 'pipe' : 'inherit', piped ? 'pipe' : 'inherit'],
    shell,
  });
  children.add(child);
  const kept = [];
  let silence;
  const heard = () => {
    clearTimeout(silence);
    if (silenceMs) silence = setTimeout(() => child.kill('SIGKILL'), silenceMs);
  };
  heard();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', chunk => {
      heard();
      if (output === 'on-failure') kept.push(chunk);
      else if (output === 'show') process.stdout.write(chunk);
    });
  }
  const code = await new Promise(resolve => {
    child.on('error', error => {
      kept.push(`${error.message}\n`);
      resolve(1);
    });
    child.on('close', status => resolve(status ?? 1));
  });
  clearTimeout(silence);
  children.delete(child);
  if (interrupted) process.exit(130);
  if (code !== 0) process.stdout.write(Buffer.concat(kept.map(chunk => Buffer.from(chunk))));
  return code;
}

/** Runs npm, also where it is not on the PATH but started us. */
export function npm(args, options) {
  const cli = process.env.npm_execpath;
  if (cli?.endsWith('.js')) return run(process.execPath, [cli, ...args], options);
  return run('npm', args, { ...options, shell: process.platform === 'win32' });
}

/** Runs a JavaScript program of the project or of its dependencies with this Node. */
export function node(script, args, options) {
  return run(process.execPath, [script, ...args], options);
}

/** Runs Playwright's command line. */
export function playwright(args, options) {
  return node('node_modules/@playwright/test/cli.js', args, options);
}
