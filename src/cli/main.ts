#!/usr/bin/env node
import { findPackageRoot } from '../config/package-root.ts';
import { runCli } from './cli.ts';

const abort = new AbortController();
// `webwright config | head` closes the pipe early; the work goes on, and its exit code stands.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

process.once('SIGINT', () => abort.abort());

process.exitCode = await runCli({
  argv: process.argv.slice(2),
  io: {
    print: line => void process.stdout.write(`${line}\n`),
    warn: line => void process.stderr.write(`${line}\n`),
    cwd: process.cwd(),
    env: process.env,
    packageRoot: findPackageRoot(import.meta.url),
    signal: abort.signal,
  },
});
