import { spawn } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { makeProject } from './project.ts';

const repository = join(import.meta.dirname, '..', '..');

/** The program that the prompt shows, with a page to open and something to do on it. */
function exampleOfPrompt(url: string): string {
  const { agent } = parse(readFileSync(join(repository, 'config', 'crafted_cli.yaml'), 'utf8')) as { agent: { extra_rules: string } };
  const code = /```js\n([\s\S]*?)```/.exec(agent.extra_rules)![1]!;
  const body = "step('read the heading'); await shot('heading'); answer(colour + ': ' + (await page.getByRole('heading').textContent()));";
  const program = code.replace('https://example.org/', url).replace(/\/\/ step.*/, body);
  expect(program).toContain(body);
  return program;
}

async function node(args: string[], cwd: string): Promise<{ code: number | null; output: string }> {
  const { WORKSPACE_DIR: _, BROWSER_ENDPOINT: __, ...env } = process.env;
  const child = spawn(process.execPath, args, { cwd, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk));
  const code = await new Promise<number | null>((resolve, reject) => child.on('error', reject).on('close', resolve));
  return { code, output };
}

test('the command that crafted_cli.yaml shows does what the prompt says of it', async () => {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html; charset=utf-8').end('<h1>Kestrel, £24.90</h1>'),
  );
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const folder = makeProject({ 'final_script.mjs': exampleOfPrompt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`) });
  const log = (run: number) => readFileSync(join(folder, 'final_runs', `run_${run}`, 'final_script_log.txt'), 'utf8');
  try {
    expect(
      await node(['--input-type=module', '-e', "import * as m from './final_script.mjs'; console.log(Object.keys(m).join())"], folder),
    ).toEqual({
      code: 0,
      output: 'findCheapest\n',
    });
    expect((await node(['final_script.mjs', '--help'], folder)).output).toMatch(/^--colour TEXT/);
    expect(existsSync(join(folder, 'final_runs'))).toBe(false);

    expect((await node(['final_script.mjs'], folder)).code).toBe(0);
    expect(log(1)).toBe('step 0 params: colour="blue"\nstep 1 action: read the heading\nFinal Response: blue: Kestrel, £24.90\n');
    expect((await node(['final_script.mjs', '--colour', 'red'], folder)).code).toBe(0);
    expect(log(2)).toMatch(/^step 0 params: colour="red"\n/);
  } finally {
    await new Promise(resolve => server.close(resolve));
    rmSync(folder, { recursive: true });
  }
});
