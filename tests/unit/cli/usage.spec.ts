import { expect, test } from '@playwright/test';
import { verbs } from '../../../src/cli/verbs.ts';
import { webwright } from './run-cli.ts';

test('without a verb, with -h or help: what there is, and the exit codes', async () => {
  for (const argv of [[], ['-h'], ['--help'], ['help']]) {
    const { code, out } = await webwright(argv);
    expect(code).toBe(0);
    for (const name of Object.keys(verbs)) expect(out).toMatch(new RegExp(`^  ${name} +\\S`, 'm'));
    expect(out).toContain('3 limit reached');
  }
});

for (const name of Object.keys(verbs)) {
  test(`${name} explains itself the same way both ways`, async () => {
    const [byFlag, byVerb] = [await webwright([name, '--help']), await webwright(['help', name])];
    expect(byFlag.code).toBe(0);
    expect(byFlag.out).toContain(`webwright ${name}`);
    if (name !== 'help') expect(byVerb.out).toBe(byFlag.out);
  });
}

for (const { argv, says } of [
  { argv: ['doctr'], says: /Unknown verb[\s\S]*did you mean webwright doctor\?/ },
  { argv: ['frobnicate'], says: /Unknown verb[\s\S]*verbs: / },
  { argv: ['__proto__'], says: /Unknown verb/ },
  { argv: ['config', '--jsn'], says: /Unknown flag of webwright config[\s\S]*did you mean --json\?/ },
  { argv: ['config', '-x'], says: /Unknown flag[\s\S]*-x/ },
  { argv: ['config', '-c'], says: /-c needs a value/ },
  { argv: ['config', '--json=1'], says: /--json takes no value/ },
  { argv: ['config', 'base.yaml'], says: /takes fewer arguments/ },
  { argv: ['export'], says: /needs an argument/ },
  { argv: ['config', '-c', 'agent.step_limt=1'], says: /did you mean agent\.step_limit\?/ },
  { argv: ['doctor', '-c', 'nothing.yaml'], says: /neither a file/ },
]) {
  test(`wrong use is exit code 2, in a few lines and without a stack: ${argv.join(' ')}`, async () => {
    const { code, out, err } = await webwright(argv);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(says);
    expect(err).not.toMatch(/\n\s+at /);
    expect(err.split('\n').length).toBeLessThan(6);
  });
}
