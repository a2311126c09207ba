import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { browserModes } from '../../src/environments/browser/modes.ts';
import { checkKinds } from '../../src/judge/checks/index.ts';
import { runProject } from './project.ts';

test('docs/extending.md: an environment, an exit rule and their config, run as they are printed', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'extending.md'), 'utf8');
  const files = Object.fromEntries(
    [...page.matchAll(/```(?:ts|yaml)\n(?:\/\/|#) (\S+?):?(?: .*)?\n[\s\S]*?```/g)].map(([block, name]) => [
      name!,
      block.split('\n').slice(1, -1).join('\n'),
    ]),
  );
  expect(Object.keys(files)).toEqual(['counter.ts', 'counter.yaml', 'counter.spec.ts']);
  const run = await runProject({ files });
  expect(
    run.tests.flatMap(each => each.errors),
    run.stdout,
  ).toEqual([]);
  expect(run.tests[0]?.attempts).toEqual([expect.objectContaining({ environment: 'text', outcome: 'passed', steps: 4, looks: 1 })]);
});

test('docs/tasks.md: the rows are tests, and its table has every kind of check', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'tasks.md'), 'utf8');
  const spec = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const run = await runProject({ files: { 'kettle.spec.ts': spec }, args: ['--list', '--reporter=list'] });
  expect(run.exitCode, run.stdout).toBe(0);
  expect(run.stdout).toContain('kettle Find the cheapest blue kettle');
  expect([...page.slice(page.indexOf('## Checks')).matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, kind]) => kind).sort()).toEqual(
    checkKinds.map(({ kind }) => kind).sort(),
  );
});

test('docs/browsers.md: its config is one, and its tables have every mode', async () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'browsers.md'), 'utf8');
  const config = /```ts\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const spec = "import { test } from 'playwright-webwright';\ntest('nothing', async () => {});";
  const run = await runProject({ files: { 'playwright.config.ts': config, 'a.spec.ts': spec }, args: ['--list', '--reporter=list'] });
  expect(run.exitCode, run.stdout).toBe(0);
  for (const name of ['plain', 'logged in', 'my own Chrome', 'cloud']) expect(run.stdout).toContain(`[${name}]`);
  expect([...page.matchAll(/^\| `(\w+)`[^|]*\|[^|]*\|[^|]*\|$/gm)].map(([, mode]) => mode)).toEqual(['browserMode', ...browserModes]);
});
