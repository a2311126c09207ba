import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
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
