import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { findVerb } from '../../../src/cli/help.ts';
import { parseFlags } from '../../../src/cli/parse-flags.ts';
import { parseLabels } from '../../../src/judge/labels.ts';
import { parseReflectionConfig } from '../../../src/judge/own-prompts/config.ts';
import { packageRoot } from './run-cli.ts';

const page = readFileSync(join(packageRoot, 'docs', 'judging.md'), 'utf8');

test('docs/judging.md: every command is one that the command line takes', async () => {
  const commands = [...page.matchAll(/(?:^npx |`)webwright (.+?)(?: +#.*)?(?:`|$)/gm)].map(([, command]) => command!.split(' '));
  expect(commands.length).toBeGreaterThan(4);
  for (const [verb = '', ...args] of commands) {
    const { flags, positionals } = await findVerb(verb);
    expect(() => parseFlags({ verb, args, flags, positionals }), args.join(' ')).not.toThrow();
  }
});

test('docs/judging.md: the files are ones that are read', () => {
  const [labels = '', pairs = '', config = ''] = [...page.matchAll(/```json\n([\s\S]*?)```/g)].map(([, json]) => json!);
  expect(parseLabels({ json: labels, file: 'labels.json' })).toMatchObject({ attempts: [{ label: 1 }, { label: 0, kind: 'near miss' }] });
  expect(parseLabels({ json: pairs, file: 'pairs.json' })).toMatchObject({ judges: [{ name: 'my judge' }] });
  expect(parseReflectionConfig({ json: config, read: () => '' }).images).toEqual([]);
});
