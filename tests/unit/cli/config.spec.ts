import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { webwright } from './run-cli.ts';

const secret = 'sk-canary-0123456789';

test('each value with where it comes from', async () => {
  const argv = ['config', '-c', 'local_browser.yaml', '-c', 'agent.step_limit=40'];
  const { code, out } = await webwright(argv, { env: { WEBWRIGHT_CONFIG: 'agent.max_looks=2' } });
  expect(code).toBe(0);
  expect(out).toContain('agent.step_limit: 40  # override agent.step_limit=… (-c)');
  expect(out).toContain('agent.max_looks: 2  # override agent.max_looks=… (WEBWRIGHT_CONFIG)');
  expect(out).toContain('environment.environment_class: "live"  # local_browser.yaml (shipped) (-c)');
  expect(out).toContain('agent.max_format_errors: 6  # base.yaml (shipped)');
  expect(out).toMatch(/agent\.system_template: "You solve web tasks by driving.*…" \(\d+ lines\)/);
});

test('no line is without an origin', async () => {
  const { out } = await webwright(['config', '-c', 'environment={env: {A: b}}', '-c', 'judge.model={model_name: j}']);
  for (const line of out.split('\n').slice(0, -1)) expect(line).toMatch(/ {2}# (base\.yaml \(shipped\)|override \S+ \(-c\))$/);
});

for (const format of [[], ['--yaml'], ['--json']]) {
  test(`secrets are not shown: ${format.join('') || 'lines'}`, async () => {
    const specs = [`model.api_key=${secret}`, `environment.env.SHOP=${secret}`, `run.task=use ${secret} and ${secret}2`].flatMap(spec => [
      '-c',
      spec,
    ]);
    const { out } = await webwright(['config', ...specs, ...format], { env: { SHOP_TOKEN: `${secret}2` } });
    expect(out).not.toContain(secret);
    expect(out).toContain('use [redacted');
  });
}

test('--yaml can be given to -c again and means the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webwright-cli-'));
  try {
    const first = await webwright(['config', '-c', 'local_browser.yaml', '-c', 'budget.usd=null', '--yaml']);
    expect(parse(first.out)).toMatchObject({ environment: { environment_class: 'live' }, budget: { usd: null } });
    writeFileSync(join(folder, 'again.yaml'), first.out);
    const digest = async (specs: string[]) => JSON.parse((await webwright(['config', ...specs, '--json'], { cwd: folder })).out).digest;
    expect(await digest(['-c', 'again.yaml'])).toBe(await digest(['-c', 'local_browser.yaml', '-c', 'budget.usd=null']));
  } finally {
    rmSync(folder, { recursive: true });
  }
});
