// npm test: everything that can be tested without a key and without a network, and one line that counts it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { npm, playwright, root } from './process.mjs';
import { setUp } from './setup.mjs';

const folder = mkdtempSync(join(tmpdir(), 'webwright-counts-'));
const total = { passed: 0, failed: 0, skipped: [] };

/** Runs a suite and adds it to the total. A run that ends badly without a failed test counts as one. */
async function suite(name, args, { reporters = [], env = {} } = {}) {
  const file = join(folder, `${name}.json`);
  const code = await playwright(['test', ...args, '--add-reporter', [...reporters, join(root, 'scripts/count-reporter.mjs')].join()], {
    env: { WEBWRIGHT_COUNTS: file, ...env },
  });
  const counts = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { passed: 0, failed: 0, skipped: [] };
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.skipped.push(...counts.skipped);
}

/** Attempts of the last mini run that were replayed from a recording made with other prompts. */
function staleAttempts() {
  const results = join(root, 'reports/benchmark/results.jsonl');
  if (!existsSync(results)) return [];
  const lines = readFileSync(results, 'utf8').trim().split('\n');
  return lines
    .filter(Boolean)
    .map(line => JSON.parse(line))
    .filter(({ stale }) => stale);
}

await setUp();
if ((await npm(['run', '--silent', 'check:static'])) !== 0) total.failed += 1;
rmSync(join(root, 'reports/benchmark/results.jsonl'), { force: true });
// The embedded tasks first: the test of shards compares with this run instead of making another.
await suite('mini', ['tasks/mini', '--output', join(folder, 'results')], {
  reporters: ['json'],
  env: { PLAYWRIGHT_JSON_OUTPUT_FILE: join(folder, 'report.json') },
});
await suite('tests', ['-c', 'tests'], { env: { WEBWRIGHT_WHOLE_RUN: folder } });
rmSync(folder, { recursive: true });

for (const { title, reason } of total.skipped) console.log(`skipped: ${title}: ${reason}`);
for (const { taskId } of staleAttempts()) console.log(`stale recording: ${taskId}: the prompts changed since it was made`);
console.log(`${total.passed} passed, ${total.failed} failed, ${total.skipped.length} skipped`);
process.exit(total.failed === 0 ? 0 : 1);
