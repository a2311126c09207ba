import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from '@playwright/test';
import { runProject } from './project.ts';

const repository = join(import.meta.dirname, '../..');
const manifest = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));

/** The package as it would be published; the build is the one at hand. */
function pack(folder: string): { tarball: string; files: string[] } {
  const npm = process.env['npm_execpath'];
  const [command, ...first] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm'];
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder];
  const output = execFileSync(command!, [...first, ...args], { cwd: repository, encoding: 'utf8' });
  const [packed] = JSON.parse(output);
  return { tarball: join(folder, packed.filename), files: packed.files.map(({ path }: { path: string }) => path) };
}

/**
 * An empty project with the package in its node_modules. Its dependencies are links to the repository's, and only the declared ones,
 * so that one that is imported but not declared is missing here as it would be for a user; no registry is needed.
 */
function install({ tarball, type }: { tarball: string; type: 'module' | 'commonjs' }): string {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-pack-'));
  const modules = join(folder, 'node_modules');
  mkdirSync(modules);
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: 'user', type }));
  execFileSync('tar', ['-xzf', tarball, '-C', modules]);
  renameSync(join(modules, 'package'), join(modules, 'playwright-webwright'));
  for (const name of [...Object.keys(manifest.dependencies), ...Object.keys(manifest.peerDependencies), 'typescript', '@types/node']) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(repository, 'node_modules', name), join(modules, name));
  }
  return folder;
}

const config = `
import { defineConfig } from '@playwright/test';
import { type AgentTestOptions, type AgentWorkerOptions, reporters } from 'playwright-webwright/config';
export default defineConfig<AgentTestOptions, AgentWorkerOptions>({ reporter: [...reporters(), ['json', { outputFile: 'report.json' }]], use: { agentConfig: ['agent.step_limit=5'] } });
`;

const spec = `
import { defineTasks, expect, test } from 'playwright-webwright';
import { scripted, scriptedJudge, siteTest } from 'playwright-webwright/testing';
const agent = [{ playwright_code: "return await page.title()" }, { done: true, final_response: 'open' }];
const judges = scriptedJudge({ points: ['the page is open'], looks: ['success'], items: { R1: 'pass' } });
test.use({ agentModel: scripted({ agent, ...judges }) });
siteTest.use({ agentModel: scripted({ agent, ...judges }) });
test('a page of its own', async ({ agent, page }) => {
  await page.setContent('<title>Hello</title>');
  const run = await agent.run('Open the page.');
  expect(run.finalResponse).toBe('open');
  await expect(run).toPassSelfReflection();
});
defineTasks([{ id: 'shop', instruction: 'Open the shop.', startUrls: ['http://shop.localhost/'], rubric: [{ id: 'R1', requirement: 'The shop is open.' }] }], { test: siteTest });
`;

test('the package holds what it needs and nothing else', async ({}, testInfo) => {
  mkdirSync(testInfo.outputDir, { recursive: true });
  const { files } = pack(testInfo.outputDir);
  const doors = Object.values(manifest.exports as Record<string, string | { types: string; default: string }>).flatMap(door =>
    typeof door === 'string' ? [door] : Object.values(door),
  );
  for (const door of [...doors, ...Object.values(manifest.bin as Record<string, string>)]) expect(files).toContain(door.replace('./', ''));
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'config/base.yaml', 'fixtures/sites/shop/products.tsv']));
  // Node never strips types from what is in node_modules.
  expect(files.filter(file => /(?<!\.d)\.ts$/.test(file))).toEqual([]);
  expect(files.filter(file => /^(tests|tasks|src|bench|docs|reports|scripts)\//.test(file))).toEqual([]);
});

for (const type of ['module', 'commonjs'] as const) {
  test(`installed into an empty ${type} project it lists, runs and has types`, async ({}, testInfo) => {
    mkdirSync(testInfo.outputDir, { recursive: true });
    const folder = install({ tarball: pack(testInfo.outputDir).tarball, type });
    writeFileSync(join(folder, 'playwright.config.ts'), config);
    writeFileSync(join(folder, 'a.spec.ts'), spec);
    const list = await runProject({ folder, args: ['--list'] });
    expect(list.stdout).toContain('Total: 2 tests in 1 file');
    expect(list.stdout).toMatch(/a\.spec\.ts:\d+:\d+ › shop Open the shop/);

    const run = await runProject({ folder });
    expect(run.exitCode, run.stdout).toBe(0);
    expect(run.tests.map(({ status }) => status)).toEqual(['passed', 'passed']);
    expect(run.stdout).toContain('webwright, scripted: 2 of 2 passed');

    const tsc = [
      join(repository, 'node_modules/typescript/bin/tsc'),
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2023',
      '--skipLibCheck',
      '--types',
      'node',
    ];
    const types = spawnSync(process.execPath, [...tsc, 'a.spec.ts', 'playwright.config.ts'], { cwd: folder, encoding: 'utf8' });
    expect(types.stdout).toBe('');
  });
}
