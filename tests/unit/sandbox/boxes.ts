import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test as base } from '@playwright/test';
import { bashFileArgs, bashSource, findBash } from '../../../src/sandbox/bash.ts';
import type { BoxNetwork, Rung } from '../../../src/sandbox/box/box.ts';
import { type ChosenBox, chooseBox } from '../../../src/sandbox/box/choose-box.ts';
import { giveTo } from '../../../src/sandbox/box/give-to.ts';
import type { Trial } from '../../../src/sandbox/box/self-test.ts';
import { type CommandOptions, type CommandResult, runCommand } from '../../../src/sandbox/run-command.ts';
import { hasBwrap, noBwrap } from './has-bwrap.ts';

const core = realpathSync(dirname(createRequire(import.meta.url).resolve('playwright-core/package.json')));
export const trial: Trial = { network: 'none', modulePath: join(core, 'index.mjs'), readable: [dirname(core)], workspaces: tmpdir() };
export const isRoot = process.getuid?.() === 0;
export const limits = { tasks: 64, fileBytes: 10_000_000, temporaryBytes: 1_000_000 };

const bash = findBash({ searchPath: process.env.PATH ?? '' });

const climbed = new Map<Rung, Promise<ChosenBox>>();

/** `run`: a script in a workspace of its own, in a box of the rung that the test's project of use names. */
export const test = base.extend<{
  root: string;
  workspace: string;
  run: (script: string, options?: Partial<CommandOptions> & { network?: BoxNetwork }) => Promise<CommandResult & { text: string }>;
  rung: Rung;
  chosen: ChosenBox;
}>({
  rung: ['bwrap', { option: true }],
  chosen: async ({ rung }, use, testInfo) => {
    testInfo.skip(rung === 'bwrap' && !hasBwrap, noBwrap);
    if (!climbed.has(rung)) climbed.set(rung, chooseBox({ wanted: { use: rung, require: null }, trial }));
    await use(await climbed.get(rung)!);
  },
  root: async ({}, use) => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'webwright-box-')));
    chmodSync(root, 0o755);
    await use(root);
    rmSync(root, { recursive: true, force: true });
  },
  workspace: async ({ root, chosen: { box } }, use) => {
    const workspace = join(root, 'workspace');
    mkdirSync(workspace);
    giveTo({ box, paths: [workspace] });
    await use(workspace);
  },
  run: async ({ root, workspace, chosen: { box } }, use) => {
    await use(async (script, { network = 'none', ...options } = {}) => {
      const file = join(root, 'script.sh');
      writeFileSync(file, bashSource(script));
      const wrap = box.wrap({ cwd: workspace, writable: [workspace], readable: [file], network, limits });
      const result = await runCommand({
        command: bash,
        args: bashFileArgs({ bash, file, wrap, user: box.user }),
        cwd: workspace,
        env: { PATH: process.env.PATH ?? '', HOME: workspace },
        timeoutMs: 10_000,
        outputKillBytes: 64_000_000,
        keepBytes: 1_000_000,
        signal: new AbortController().signal,
        user: box.user,
        ...options,
      });
      return { ...result, text: Buffer.concat([result.output.head, result.output.tail]).toString() };
    });
  },
});

/** Ids of processes that have a text in their command line. */
export function running(text: string): string[] {
  return readdirSync('/proc').filter(id => {
    try {
      return /^\d+$/.test(id) && readFileSync(`/proc/${id}/cmdline`, 'latin1').includes(text);
    } catch {
      return false;
    }
  });
}

/** A number of seconds that no other process sleeps. */
export function uniqueSeconds(): string {
  return `${4_000 + (process.pid % 1_000)}.${process.hrtime()[1]}`;
}
