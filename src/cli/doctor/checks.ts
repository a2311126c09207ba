import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { dataFolders, findData } from '../../benchmarks/find-data.ts';
import { judgeEndpoint } from '../../config/judge-model.ts';
import { findBash } from '../../sandbox/bash.ts';
import { browserCheck } from './browser.ts';
import { type Check, missing, missingIf, ok, optional } from './check.ts';
import { modelFinding } from './model.ts';
import { sandboxFinding } from './sandbox.ts';

/** Everything `webwright doctor` looks at, in order. */
export const checks: Check[] = [
  { name: 'node', check: async () => nodeFinding(process.versions.node) },
  { name: 'playwright', check: async ({ io }) => playwrightFinding(io.packageRoot) },
  {
    name: 'agent model',
    check: async ({ config, io }) => modelFinding({ endpoint: config.model, env: io.env, cwd: io.cwd, section: 'model' }),
  },
  {
    name: 'judge model',
    async check({ config, io }) {
      const { endpoint, same } = judgeEndpoint(config);
      return same ? ok("the agent's") : modelFinding({ endpoint, env: io.env, cwd: io.cwd, section: 'judge.model' });
    },
  },
  browserCheck,
  {
    name: 'bash',
    async check({ config, io }) {
      const need = missingIf(config.environment.environment_class === 'workspace');
      if (process.platform === 'win32')
        return need('the workspace needs Linux or macOS', 'use the live environment: -c local_browser.yaml');
      try {
        return ok(findBash({ searchPath: io.env['PATH'] ?? '' }));
      } catch {
        return need('there is no bash on PATH', 'install bash (Debian: apt-get install bash)');
      }
    },
  },
  {
    name: 'sandbox',
    check: async ({ config, io }) => sandboxFinding({ wanted: config.environment.sandbox, packageRoot: io.packageRoot }),
  },
  {
    name: 'benchmark data',
    async check({ io }) {
      const folders = dataFolders({ env: io.env });
      const file = findData({ file: 'odysseys/odysseys.json', folders });
      return file
        ? ok(file)
        : optional(
            `no odysseys/odysseys.json in ${folders.join(', ')}`,
            'set WEBWRIGHT_DATA to the folder that has it, to run tasks/odysseys',
          );
    },
  },
  { name: 'output folder', check: async ({ config, io }) => writeFinding(resolve(io.cwd, config.run.output_dir)) },
];

/** Node >= 20.19 (package.json, `engines`). */
export function nodeFinding(version: string) {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 20 || (major === 20 && minor >= 19) ? ok(version) : missing(`${version} is too old`, 'install Node.js 20.19 or later');
}

function playwrightFinding(packageRoot: string) {
  const { peerDependencies } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    peerDependencies: Record<string, string>;
  };
  const range = peerDependencies['@playwright/test'] ?? '';
  try {
    const manifest = createRequire(join(packageRoot, 'package.json')).resolve('@playwright/test/package.json');
    const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
    return inRange({ version, range })
      ? ok(version)
      : missing(`@playwright/test ${version}, wanted ${range}`, `npm install --save-dev "@playwright/test@${range}"`);
  } catch {
    return missing('@playwright/test is not installed', `npm install --save-dev "@playwright/test@${range}"`);
  }
}

/** Ranges of the form `>=a.b.c <d.e.f`, the only one our package.json uses. */
export function inRange({ version, range }: { version: string; range: string }): boolean {
  const numbers = (text: string) => text.split('-')[0]!.split('.').map(Number);
  const compare = (a: number[], b: number[]) => a.map((part, index) => part - (b[index] ?? 0)).find(difference => difference !== 0) ?? 0;
  return range.split(/\s+/).every(term => {
    const [, operator = '', bound = ''] = /^(>=|<)(\d[\d.]*)$/.exec(term) ?? [];
    const order = compare(numbers(version), numbers(bound));
    return operator === '>=' ? order >= 0 : operator === '<' && order < 0;
  });
}

/** Whether a folder can be written, or made in the nearest one above that exists. */
function writeFinding(folder: string) {
  let existing = folder;
  while (!existsSync(existing)) existing = dirname(existing);
  try {
    accessSync(existing, constants.W_OK);
    return ok(folder);
  } catch {
    return missing(`${existing} cannot be written`, 'change its rights, or set run.output_dir to another folder');
  }
}
