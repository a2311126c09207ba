import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { makeJudge, png } from './attempts.ts';
import { webwright } from './run-cli.ts';

const prompts = {
  image_judge_system_prompt: 'Be harsh.',
  image_judge_user_prompt: 'Task: kettle.',
  final_verdict_system_prompt: 'Decide.',
  final_verdict_user_prompt: 'Seen: {image_reasonings}\nLog: {action_history_log}',
};

/** A workspace with an older run, a newer one with two screenshots, and the newest without any. */
function makeWorkspace({ cwd, log, config = prompts }: { cwd: string; log: string; config?: Record<string, unknown> }): void {
  for (const [run, images] of [
    [1, ['final_execution_1.png']],
    [2, ['final_execution_10_b.png', 'final_execution_9_a.png']],
    [3, []],
  ] as const) {
    const folder = join(cwd, 'final_runs', `run_${run}`);
    mkdirSync(join(folder, 'screenshots'), { recursive: true });
    writeFileSync(join(folder, 'final_script_log.txt'), `run ${run}: ${log}`);
    for (const name of images) writeFileSync(join(folder, 'screenshots', name), png(name));
  }
  writeFileSync(join(cwd, 'config.json'), JSON.stringify(config));
}

test("a person's own prompts over the newest run with images, in Webwright's form; exit code 0 only for label 1", async ({}, {
  outputDir: cwd,
}) => {
  const judge = makeJudge(cwd);
  makeWorkspace({ cwd, log: 'good' });
  const args = ['self-reflection', '--config', 'config.json', '-c', judge];
  const { code, out, err } = await webwright([...args, '--output', 'verdict.json'], { cwd });
  expect(code, err).toBe(0);
  expect(out).toBe('');
  expect(err).toContain('run_2');
  expect(err).toContain('predicted_label 1');
  const verdict = JSON.parse(readFileSync(join(cwd, 'verdict.json'), 'utf8'));
  expect(verdict).toMatchObject({
    predicted_label: 1,
    final_user_text: 'Seen: 1. seen\n2. seen\nLog: run 2: good',
    final_system_msg: 'Decide.',
  });
  expect(verdict.image_paths.map((path: string) => path.split('/').at(-1))).toEqual([
    'final_execution_9_a.png',
    'final_execution_10_b.png',
  ]);

  makeWorkspace({
    cwd,
    log: 'not so',
    config: {
      ...prompts,
      final_verdict_user_prompt: '{{ action_history_log }}',
      images: ['final_runs/run_1/screenshots/final_execution_1.png'],
    },
  });
  const named = await webwright(args, { cwd });
  expect(named.code).toBe(1);
  expect(JSON.parse(named.out)).toMatchObject({ predicted_label: 0, final_user_text: 'run 1: not so' });
});

test('mistakes are found before anything is paid for', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  makeWorkspace({ cwd, log: 'good', config: { ...prompts, final_verdict_user_prompt: '{oops} {image_reasonings}' } });
  const run = (...args: string[]) => webwright(['self-reflection', '-c', judge, ...args], { cwd });
  expect((await run()).code).toBe(2);
  expect((await run('--config', 'gone.json')).err).toContain('cannot be read');
  expect((await run('--config', 'config.json')).err).toContain('oops');
  makeWorkspace({ cwd, log: 'good', config: { ...prompts, images: ['gone.png'] } });
  expect((await run('--config', 'config.json')).err).toContain('not there');
  makeWorkspace({ cwd, log: 'good' });
  expect((await run('--config', 'config.json', '--output', 'no/such/folder.json')).err).toContain('mkdir -p');
  expect((await run('--config', 'config.json', '--max-image-parse-retries', 'x')).code).toBe(2);
  expect(() => readFileSync(join(cwd, 'calls.txt'))).toThrow();
});

test('a judge that cannot be asked is no success; a log alone can be judged', async ({}, { outputDir: cwd }) => {
  const judge = makeJudge(cwd);
  makeWorkspace({ cwd, log: 'lost' });
  const lost = await webwright(['self-reflection', '--config', 'config.json', '-c', judge], { cwd }).catch(error => error);
  expect(lost.code).not.toBe(0);
  writeFileSync(join(cwd, 'final_script_log.txt'), 'all good');
  const { code, err } = await webwright(['self-reflection', '--config', 'config.json', '-c', judge, '--auto-latest-run', ''], { cwd });
  expect(code).toBe(0);
  expect(err).toContain('no images');
});
