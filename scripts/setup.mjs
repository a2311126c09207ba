// Makes a fresh clone ready: dependencies, build, browser. Plain Node, since it runs before anything is installed.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { browserReady } from './browser.mjs';
import { node, npm, root } from './process.mjs';

const say = line => console.log(`setup: ${line}`);

/** Ends the script with what is wrong and what to type. */
function stop(message) {
  console.error(`setup: ${message}`);
  process.exit(1);
}

/** Does whatever is missing, and nothing when nothing is. Exits 1 with what to type where it cannot. */
export async function setUp() {
  checkNode();
  await installDependencies();
  await build();
  const problem = await browserReady({ say });
  if (problem) stop(problem);
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 19)) stop(`Node ${process.versions.node} is too old; install Node 20.19 or newer`);
}

async function installDependencies() {
  const difference = dependencyDifference();
  if (!difference) return;
  say(`installing dependencies (${difference})`);
  const code = await npm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], { env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: '1' } });
  if (code !== 0) stop('npm ci failed; is the package registry reachable? Then type: npm ci');
}

/** The first way in which node_modules is not what package-lock.json asks for, or undefined. npm's own record of an installation is compared. */
function dependencyDifference() {
  const record = join(root, 'node_modules/.package-lock.json');
  if (!existsSync(record)) return 'none yet';
  const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
  const installed = JSON.parse(readFileSync(record, 'utf8')).packages;
  for (const [path, { version, optional }] of Object.entries(wanted)) {
    if (path === '' || optional) continue;
    if (installed[path]?.version !== version || !existsSync(join(root, path)))
      return `${path.replace(/^.*node_modules\//, '')} is not ${version}`;
  }
  return undefined;
}

async function build() {
  const digest = sourceDigest();
  const stamp = join(root, 'dist/.built');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return;
  say('building');
  if ((await node('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.build.json'])) !== 0) stop('the build failed; the errors are above');
  writeFileSync(stamp, digest);
}

function sourceDigest() {
  const files = ['src', 'fixtures'].flatMap(folder =>
    readdirSync(join(root, folder), { recursive: true })
      .filter(name => name.endsWith('.ts'))
      .map(name => join(folder, name)),
  );
  const hash = createHash('sha256');
  for (const file of [...files.sort(), 'tsconfig.json', 'tsconfig.build.json', 'node_modules/.package-lock.json']) {
    const { mtimeMs, size } = statSync(join(root, file));
    hash.update(`${file} ${mtimeMs} ${size}\n`);
  }
  return hash.digest('hex');
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await setUp();
  say('ready');
}
