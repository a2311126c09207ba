// npm run test:wire-latest: the wire tests of the model endpoints on Node 24 with openai 7, which Node 20 does not get. Needs the npm registry.
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from './process.mjs';

const folder = mkdtempSync(join(tmpdir(), 'webwright-wire-'));
const latest = join(folder, 'latest');
const project = join(folder, 'project');
mkdirSync(latest, { recursive: true });
mkdirSync(join(project, 'node_modules'), { recursive: true });
const npm = args => run('npm', ['--prefix', latest, ...args], { output: 'on-failure', silenceMs: 120_000 });
if ((await npm(['install', '--no-audit', '--no-fund', '--no-save', 'openai@7', 'node@24'])) !== 0) process.exit(1);

for (const name of ['package.json', 'tsconfig.json', 'src', 'config', 'fixtures', 'tests/playwright.config.ts', 'tests/unit/models']) {
  cpSync(join(root, name), join(project, name), { recursive: true });
}
for (const name of readdirSync(join(root, 'node_modules'))) {
  const from = name === 'openai' ? join(latest, 'node_modules', name) : join(root, 'node_modules', name);
  symlinkSync(from, join(project, 'node_modules', name));
}
const node = join(latest, 'node_modules', 'node', 'bin', 'node');
const cli = join('node_modules', '@playwright', 'test', 'cli.js');
const code = await run(node, [cli, 'test', '-c', 'tests', '--project=unit', 'models/wire', 'models/endpoint', '--reporter=line'], {
  cwd: project,
  silenceMs: 300_000,
});
rmSync(folder, { recursive: true, force: true });
process.exit(code);
