import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { makeProject, runProject } from './project.ts';

const repository = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(repository, 'docs', 'testing.md'), 'utf8');
const files = [...page.matchAll(/```ts\n\/\/ (\S+\.spec\.ts)\n([\s\S]*?)```/g)].map(match => [match[1]!, match[2]!] as const);

test('the suites in docs/testing.md pass as they stand there', async () => {
  expect(files.map(([name]) => name)).toEqual(['scripted-model.spec.ts', 'observe.spec.ts', 'mock-server.spec.ts']);
  const folder = makeProject(Object.fromEntries(files));
  mkdirSync(join(folder, 'node_modules', '@copilotkit'));
  symlinkSync(join(repository, 'node_modules', '@copilotkit', 'aimock'), join(folder, 'node_modules', '@copilotkit', 'aimock'));
  const run = await runProject({ folder });
  expect(
    run.tests.map(({ title, status, errors }) => [title, status, ...errors]),
    run.stdout,
  ).toEqual([
    ['buys the kettle over HTTP, after a 503', 'passed'],
    ['an agent sees the button by its name', 'passed'],
    ['buys the kettle and shows the judge a picture of it', 'passed'],
    ['does not care how many steps it takes', 'passed'],
    ['a cut reply and a refusal are asked again', 'passed'],
    ['the refusal sends the agent back to work', 'passed'],
  ]);
});
