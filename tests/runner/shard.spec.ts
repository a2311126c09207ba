import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chromium, expect, test } from '@playwright/test';
import type { JSONReport, JSONReportSuite } from '@playwright/test/reporter';
import { findChromium } from '../../src/config/browser.ts';
import { makeProject } from './project.ts';

test.describe.configure({ timeout: 300_000 });

const repository = join(import.meta.dirname, '../..');

/** The project's own config on the project's own embedded tasks, with every output in a folder of its own. */
function makeFolder(): string {
  const configOf = (name: string) => `
    import config from ${JSON.stringify(join(repository, `${name}.config.ts`))};
    const json = ['json', { outputFile: 'report.json' }];
    const testDir = ${JSON.stringify(join(repository, 'tasks'))};
    export default { ...config, testDir, outputDir: './test-results', reporter: [...config.reporter, json] };`;
  return makeProject({ 'playwright.config.ts': configOf('playwright'), 'merge.config.ts': configOf('merge') });
}

function cli({ folder, args }: { folder: string; args: string[] }) {
  const { TEST_WORKER_INDEX, TEST_PARALLEL_INDEX, ...inherited } = process.env;
  const recordings = `model.recordings=${join(repository, 'fixtures/recordings')}`;
  const { stdout, stderr, status } = spawnSync(process.execPath, [join(repository, 'node_modules/@playwright/test/cli.js'), ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { ...inherited, FORCE_COLOR: '0', WEBWRIGHT_CONFIG: recordings },
  });
  expect(status, stdout + stderr).toBe(0);
  return stdout;
}

interface Content {
  folder: string;
  name: string;
  contentType: string;
  bytes: Buffer;
}

const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

const exactly = ({ bytes }: Content) => sha256(bytes);

/** What a recording alone decides. All else is observed: a late list is there or not yet, a judge had one image more or less (DESIGN §9.6). */
const fromTheRecording = ({ name, bytes }: Content): string =>
  ['thought and code', 'final script'].includes(name) ? sha256(bytes) : 'observed';

/** Allure makes its report of the results in a folder. */
function allureGenerates(folder: string): void {
  const results = join(folder, 'reports/allure-results');
  expect(readdirSync(results).filter(name => name.endsWith('-result.json'))).toHaveLength(5);
  const command = [join(repository, 'node_modules/allure/cli.js'), 'generate', results, '-o', join(folder, 'allure')];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  expect(status, stdout + stderr).toBe(0);
  expect(existsSync(join(folder, 'allure/index.html'))).toBe(true);
}

/** `test | attachment | digest`, sorted, of the newest report in a folder. */
function attachments({ folder, digest }: { folder: string; digest: (content: Content) => string }): string[] {
  const report: JSONReport = JSON.parse(readFileSync(join(folder, 'report.json'), 'utf8'));
  const specs = (suite: JSONReportSuite): JSONReportSuite['specs'] => [...suite.specs, ...(suite.suites ?? []).flatMap(specs)];
  const found = report.suites.flatMap(specs).flatMap(({ title, tests }) =>
    tests
      .flatMap(({ results }) => results.flatMap(result => result.attachments))
      .map(({ name, contentType, body, path }) => {
        const bytes = body === undefined ? readFileSync(path!) : Buffer.from(body, 'base64');
        return `${title} | ${name} | ${digest({ folder, name, contentType, bytes })}`;
      }),
  );
  return found.sort();
}

/** A folder with the report of an unsharded run: the one that `npm test` has just made, or a new one. */
function wholeRun(): string {
  const made = process.env['WEBWRIGHT_WHOLE_RUN'];
  if (made) return made;
  const folder = makeFolder();
  cli({ folder, args: ['test', 'tasks/mini'] });
  allureGenerates(folder);
  return folder;
}

test('two shards of the embedded tasks merge into the report of the whole, and every link in it opens', async () => {
  const whole = wholeRun();

  const sharded = makeFolder();
  const shards: string[] = [];
  for (const shard of ['1/2', '2/2']) {
    cli({ folder: sharded, args: ['test', 'tasks/mini', `--shard=${shard}`] });
    shards.push(...attachments({ folder: sharded, digest: exactly }));
  }
  cli({ folder: sharded, args: ['merge-reports', '-c', 'merge.config.ts', 'reports/blob'] });
  allureGenerates(sharded);
  expect(attachments({ folder: sharded, digest: exactly })).toEqual(shards.sort());
  expect(shards.length).toBeGreaterThan(60);
  const once = (folder: string) => [...new Set(attachments({ folder, digest: fromTheRecording }))];
  expect(once(sharded)).toEqual(once(whole));

  const found = findChromium()!;
  const browser = await chromium.launch({ executablePath: found.executablePath, args: found.args });
  try {
    const page = await browser.newPage();
    const index = pathToFileURL(join(sharded, 'reports/html/index.html')).href;
    await page.goto(index);
    const rows = page.locator('a[href*="testId="]');
    await expect(rows.first()).toBeVisible();
    const tests = await rows.evaluateAll(links => [...new Set(links.map(link => (link as HTMLAnchorElement).href))]);
    expect(tests.length).toBeGreaterThanOrEqual(4);
    const seen = new Set<string>();
    for (const url of tests) {
      await page.goto(url);
      await expect(page.getByText('Test Steps')).toBeVisible();
      await expect(page.getByRole('link', { name: 'trajectory' }).first()).toBeAttached();
      const targets = await page
        .locator('a[href], img[src]')
        .evaluateAll(all => all.map(element => (element as HTMLAnchorElement).href || (element as HTMLImageElement).src));
      for (const target of targets) if (target.startsWith('file:') && target.includes('/data/')) seen.add(target.replace(/[?#].*/, ''));
    }
    expect(seen.size).toBeGreaterThan(10);
    for (const target of seen) expect(existsSync(fileURLToPath(target)), target).toBe(true);
  } finally {
    await browser.close();
  }
});
