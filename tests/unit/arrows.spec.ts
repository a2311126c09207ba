import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@playwright/test';

const root = join(import.meta.dirname, '../..');

/** One import per file: [file, specifier, allowed]. */
const imports = [
  ['src/core/up.ts', '../config/schema.ts', false],
  ['src/core/io.ts', 'node:fs', false],
  ['src/core/runner.ts', '@playwright/test', false],
  ['src/core/own.ts', './task.ts', true],
  ['src/stats/core.ts', '../core/task.ts', false],
  ['src/models/sideways.ts', '../record/event-log.ts', false],
  ['src/models/down.ts', '../core/model.ts', true],
  ['src/benchmarks/up.ts', '../judge/grader.ts', false],
  ['src/environments/live/box.ts', '../../sandbox/shell.ts', true],
  ['src/environments/live/record.ts', '../../record/evidence.ts', true],
  ['src/environments/live/keys.ts', '../../models/openai.ts', false],
  ['src/judge/models.ts', '../models/openai.ts', true],
  ['src/judge/box.ts', '../sandbox/shell.ts', false],
  ['src/judge/checks/sideways.ts', '../../environments/live/index.ts', false],
  ['src/judge/checks/own.ts', './config/x.ts', true],
  ['src/agent/door.ts', '../../fixtures/index.ts', false],
  ['src/agent/down.ts', '../judge/coach.ts', true],
  ['src/reporter/agent.ts', '../agent/loop.ts', false],
  ['fixtures/agent.ts', '../src/agent/loop.ts', true],
  ['fixtures/tasks.ts', '../tasks/mini/rows.ts', false],
  ['tasks/mini/inside.spec.ts', '../../src/core/task.ts', false],
  ['tasks/mini/outside.spec.ts', 'playwright-webwright', true],
] as const;

test('an import against the arrows of the design does not pass lint', async ({}, testInfo) => {
  const folder = testInfo.outputPath('project');
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(root, 'biome.json'), join(folder, 'biome.json'));
  for (const [file, specifier] of imports) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `export { x } from '${specifier}';\n`);
  }
  const biome = [
    join(root, 'node_modules/@biomejs/biome/bin/biome'),
    'lint',
    '--vcs-enabled=false',
    '--reporter=json',
    '--max-diagnostics=none',
  ];
  const { stdout } = await promisify(execFile)(process.execPath, [...biome, '.'], { cwd: folder }).catch(error => error);
  const refused: string[] = JSON.parse(stdout)
    .diagnostics.filter((found: { category: string }) => found.category === 'lint/style/noRestrictedImports')
    .map((found: { location: { path: string } }) => found.location.path);
  expect(refused.sort()).toEqual(imports.flatMap(([file, , allowed]) => (allowed ? [] : [file])).sort());
});
