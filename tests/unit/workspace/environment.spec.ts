import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from '@playwright/test';
import { parseTask } from '../../../src/core/task.ts';
import { createWorkspaceEnvironment } from '../../../src/environments/workspace/environment.ts';
import type { WorkspaceFields } from '../../../src/environments/workspace/observe-command.ts';
import type { WorkspaceOptions } from '../../../src/environments/workspace/options.ts';
import { assertWorkspaceSupported } from '../../../src/environments/workspace/platform.ts';
import { probeStartUrl } from '../../../src/environments/workspace/probe.ts';
import { EvidenceStore } from '../../../src/record/evidence.ts';
import { createRunFolder } from '../../../src/record/run-folder.ts';
import { processBox } from '../../../src/sandbox/box/process-box.ts';

type Make = (options?: Partial<WorkspaceOptions>) => ReturnType<typeof createWorkspaceEnvironment>;

const task = parseTask({
  id: 'kettle',
  instruction: 'Find the cheapest kettle.',
  startUrls: ['http://shop.localhost/'],
  rubric: [{ id: 'R1', requirement: 'secret requirement' }],
  checks: [{ id: 'C1', kind: 'response', value: 'secret value' }],
});

/** `make` an environment whose browser must not be opened. */
const test = base.extend<{ make: Make; run: (code: string, step?: number) => Promise<WorkspaceFields> }>({
  make: async ({}, use) => {
    const root = mkdtempSync(join(tmpdir(), 'webwright-environment-'));
    const made: ReturnType<Make>[] = [];
    await use(options => {
      const folder = createRunFolder({ root, runId: 'r', test: 't', repeat: 0 });
      const environment = createWorkspaceEnvironment({
        folder,
        task,
        evidence: new EvidenceStore({ folder: folder.evidence }),
        openBrowser: () => Promise.reject(new Error('no browser is wanted here')),
        redact: text => text.replaceAll('hunter22', '[redacted:PASSWORD]'),
        note: () => {},
        probeUrl: async () => null,
        ...options,
      });
      made.push(environment);
      return environment;
    });
    for (const environment of made) await environment.close();
    rmSync(root, { recursive: true, force: true });
  },
  run: async ({ make }, use) => {
    const environment = make();
    await environment.prepare(task);
    let last = 0;
    await use(async (code, step = last + 1) => {
      last = step;
      const { fields } = await environment.execute({ code, step, signal: new AbortController().signal });
      return fields as WorkspaceFields;
    });
  },
});

test('the workspace as scripts know it; the rubric and the checks are not in it', async ({ run }) => {
  const { workspace } = await run('true');
  for (const name of ['task.json', 'steps', 'logs', 'screenshots', 'final_runs', '.tmp', 'command_history.sh']) {
    expect(existsSync(join(workspace, name)), name).toBe(true);
  }
  expect(JSON.parse(readFileSync(join(workspace, 'task.json'), 'utf8'))).toEqual({
    task: 'Find the cheapest kettle.',
    task_id: 'kettle',
    start_url: 'http://shop.localhost/',
  });
  expect((await run('grep -rl --exclude-dir=steps --exclude-dir=node_modules --exclude=command_history.sh secret .; true')).output).toBe(
    '',
  );
});

test('a command is kept as a step and in the history, and its output as a log', async ({ run }) => {
  const { workspace, log_path, output } = await run('echo hello\r\necho "there"');
  expect([output, log_path]).toEqual(['hello\nthere\n', 'logs/step_0001.log']);
  expect(readFileSync(join(workspace, log_path), 'utf8')).toBe('hello\nthere\n');
  expect(readFileSync(join(workspace, 'steps/step_0001.sh'), 'utf8')).toBe('echo hello\necho "there"\n');
  await run('false');
  expect(readFileSync(join(workspace, 'command_history.sh'), 'utf8')).toBe('# step 1\necho hello\necho "there"\n\n# step 2\nfalse\n\n');
});

test('the environment of a command is a list, and nothing else', async ({ run }) => {
  process.env['SOME_API_KEY'] = 'canary';
  const { output, workspace } = await run(
    'env | cut -d= -f1 | sort; echo "$HOME|$WORKSPACE_DIR|$TMPDIR|$FINAL_SCRIPT_PATH|$TASK_JSON"; test -S "$BROWSER_ENDPOINT" && echo socket',
  );
  const lines = output.trim().split('\n');
  expect(lines.slice(0, -2)).toEqual([
    ...['BROWSER_ENDPOINT', 'BROWSER_MODE', 'FINAL_SCRIPT_PATH', 'HOME', 'LANG', 'PATH', 'PLAYWRIGHT_BROWSERS_PATH', 'PWD', 'SHLVL'],
    ...['TASK_JSON', 'TMPDIR', 'WEBWRIGHT_PROCESS_TREE', 'WORKSPACE_DIR', '_'],
  ]);
  const at = (name: string) => join(workspace, name);
  expect(lines.slice(-2)).toEqual([[workspace, workspace, at('.tmp'), at('final_script.mjs'), at('task.json')].join('|'), 'socket']);
});

test("the task's own variables reach commands and are redacted in everything that comes back", async ({ make }) => {
  const environment = make({ env: { SHOP_PASSWORD: 'hunter22' } });
  await environment.prepare(task);
  const { fields } = await environment.execute({
    code: 'test "$SHOP_PASSWORD" = "hunter""22" && echo "it is $SHOP_PASSWORD" && touch "$SHOP_PASSWORD" && echo "// $SHOP_PASSWORD" > final_script.mjs',
    step: 1,
    signal: new AbortController().signal,
  });
  expect(fields).toMatchObject({ output: 'it is [redacted:PASSWORD]\n', final_script_preview: '// [redacted:PASSWORD]\n' });
  expect(JSON.stringify(fields)).not.toContain('hunter22');
  expect(readFileSync(join(String(fields['workspace']), 'logs/step_0001.log'), 'utf8')).not.toContain('hunter22');
});

test('return codes, limits and signals each have their own words', async ({ make }) => {
  const environment = make({ box: processBox(), limits: { commandTimeoutMs: 400, outputChars: 40, outputKillBytes: 100_000 } });
  await environment.prepare(task);
  let step = 0;
  const run = async (code: string) => {
    step += 1;
    return environment.execute({ code, step, signal: new AbortController().signal });
  };
  expect(await run('exit 124')).toMatchObject({ success: false, exception: '', fields: { status: 'error', returncode: 124 } });
  expect(await run('kill -9 $$')).toMatchObject({
    success: false,
    exception: expect.stringContaining('not by the harness'),
    fields: { returncode: 137 },
  });
  expect(await run('echo early; sleep 30')).toMatchObject({
    exception: expect.stringContaining('time limit: the command ran longer than 0.4 s'),
    fields: { returncode: null },
  });
  expect(await run('yes')).toMatchObject({ exception: expect.stringContaining('output limit'), fields: { returncode: null } });
  const cut = await run('seq 1 1000');
  expect(cut.fields['output']).toMatch(/^1\n2\n.*\n\[… \d+ characters left out; all 3893 bytes: logs\/step_0005\.log …\]\n.*\n1000\n$/s);
});

test('changed files are those of this step, by name, bounded; images have a list of their own', async ({ run }) => {
  const first = await run('mkdir -p d; touch d/a shot.png; touch b');
  expect(first.files_changed).toEqual(['b', 'd/a']);
  expect(first.screenshots).toEqual(['shot.png']);
  expect((await run('true')).files_changed).toEqual([]);
  expect((await run('echo x >> b; rm d/a')).files_changed).toEqual(['b']);
  const many = await run('touch f{1..60}');
  expect([many.files_changed.length, many.files_changed_omitted]).toEqual([40, 20]);
});

test('the final script is shown when it changed, and only then', async ({ run }) => {
  expect(await run('echo "// v1" > final_script.mjs')).toMatchObject({
    final_script_preview: '// v1\n',
    final_script_path: expect.stringMatching(/final_script\.mjs$/),
  });
  expect(await run('true')).toMatchObject({ final_script_preview: '', final_script_path: expect.stringMatching(/final_script\.mjs$/) });
  expect(await run('seq 1 5000 > final_script.mjs')).toMatchObject({
    final_script_preview: expect.stringMatching(/^1\n.*characters left out.*5000\n$/s),
  });
});

test('packages resolve from files, heredocs and deep folders of a workspace outside the project', async ({ run }) => {
  const code =
    "await import('playwright-webwright/script').then(m => console.log(Object.keys(m).sort().join())); await import('@playwright/test'); await import('playwright'); await import('playwright-core'); console.log('resolved')";
  const inline = await run(`node --input-type=module - <<'JS'\n${code}\nJS`);
  expect(inline).toMatchObject({ returncode: 0, output: expect.stringMatching(/^answer,look,open,.*shot,step\nresolved\n$/) });
  const file = await run(`mkdir -p a/b && cat > a/b/x.mjs <<'JS'\n${code}\nJS\nnode a/b/x.mjs`);
  expect(file).toMatchObject({ returncode: 0, output: expect.stringContaining('resolved') });
});

test('C19 a workspace that is removed or emptied is made again, and the step says so', async ({ run }) => {
  const { workspace } = await run('true');
  await run('rm -rf "$WORKSPACE_DIR"'); // in a box the folder itself cannot be removed, only what is in it
  const next = await run('ls -d steps task.json; pwd');
  expect(next).toMatchObject({ returncode: 0, output: `steps\ntask.json\n${workspace}\n`, notice: expect.stringContaining('made again') });
});

test('C19 a workspace that a command has closed is open for the next one', async ({ run }) => {
  await run('chmod 000 steps logs node_modules .tmp "$WORKSPACE_DIR"');
  expect(await run('echo open > file && cat file')).toMatchObject({ returncode: 0, output: 'open\n' });
});

test('C11 links in the place of what the harness writes do not lead it outside', async ({ make }) => {
  const environment = make({ box: processBox() }); // in a stronger box the links could not even be followed
  await environment.prepare(task);
  let step = 0;
  const run = async (code: string) => {
    step += 1;
    return (await environment.execute({ code, step, signal: new AbortController().signal })).fields as WorkspaceFields;
  };
  const outside = mkdtempSync(join(tmpdir(), 'webwright-outside-'));
  mkdirSync(join(outside, 'a'));
  writeFileSync(join(outside, 'file'), 'untouched');
  await run(`rm -rf logs steps node_modules task.json command_history.sh
    for name in logs steps node_modules; do ln -s ${outside}/a $name; done
    ln -s ${outside}/file task.json; ln ${outside}/file command_history.sh`);
  const next = await run('cat task.json; ls node_modules');
  expect(next).toMatchObject({
    returncode: 0,
    output: expect.stringContaining('kettle'),
    notice: expect.stringContaining('steps, logs, node_modules'),
  });
  expect(readFileSync(join(next.workspace, 'command_history.sh'), 'utf8')).toBe('# step 2\ncat task.json; ls node_modules\n\n');
  expect(readdirSync(join(outside, 'a'))).toEqual([]);
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('untouched');
  rmSync(outside, { recursive: true });
});

test('C20 fifos, links and hostile names in the workspace do not stop the observation', async ({ run }) => {
  const { workspace } = await run('true');
  symlinkSync('/', join(workspace, 'root'));
  execFileSync('mkfifo', [join(workspace, 'pipe.png')]);
  writeFileSync(join(workspace, 'x\u001b[2J\ny.png'), 'image');
  const seen = await run('touch z; rm final_script.mjs 2>/dev/null; mkfifo final_script.mjs');
  expect(seen).toMatchObject({ returncode: 0, files_changed: ['z'], screenshots: ['x?y.png'], final_script_path: '' });
});

test('C22 two commands at once run one after the other', async ({ make }) => {
  const environment = make();
  await environment.prepare(task);
  const signal = new AbortController().signal;
  const [first, second] = await Promise.all([
    environment.execute({ code: 'sleep 0.3; touch first', step: 1, signal }),
    environment.execute({ code: 'test -e first && echo "after the first"', step: 2, signal }),
  ]);
  expect([first.success, second.fields['output']]).toEqual([true, 'after the first\n']);
});

test('a command that cannot be parsed is refused unrun', async ({ make }) => {
  const environment = make();
  await environment.prepare(task);
  expect(await environment.syntaxError('echo "open')).toContain('unexpected EOF');
  expect(await environment.syntaxError('echo fine')).toBeNull();
});

test('without a final run `done` is refused with what to do', async ({ make }) => {
  const environment = make();
  await environment.prepare(task);
  expect(await environment.completion()).toEqual({ refusal: expect.stringContaining('node final_script.mjs') });
});

test('a start URL that refuses or does not resolve is an error before anything else', async ({ make }) => {
  const environment = make({ probeUrl: url => probeStartUrl(url) });
  await expect(environment.prepare({ ...task })).rejects.toThrow(/start URL cannot be opened.*shop\.localhost/s);

  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  expect(await probeStartUrl(`http://127.0.0.1:${port}/`)).toBeNull();
  await new Promise(resolve => server.close(resolve));
  expect(await probeStartUrl(`http://127.0.0.1:${port}/`)).toContain('refuses the connection');
  expect(await probeStartUrl('http://no-such-host.invalid/')).toMatch(/does not resolve|could not be resolved/);
  expect(await probeStartUrl('file:///etc/passwd')).toContain('its scheme is file');
  expect(await probeStartUrl('shop')).toContain('not a URL');
});

test('D5 Windows and macOS are refused with the reason and what to use', () => {
  expect(() => assertWorkspaceSupported('win32')).toThrow(/win32.*process group.*live environment/s);
  expect(() => assertWorkspaceSupported('darwin')).toThrow(/darwin.*live environment/s);
  expect(() => assertWorkspaceSupported('linux')).not.toThrow();
});
