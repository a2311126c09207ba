#!/usr/bin/env node
import { findPackageRoot } from '../config/package-root.ts';
import { runCli } from './cli.ts';

const abort = new AbortController();
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
