import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parse } from 'yaml';
import { environmentSchema } from '../../../src/config/schema/environment.ts';
import { egressModes } from '../../../src/core/egress.ts';
import { allowRule } from '../../../src/sandbox/egress/allow.ts';

const text = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'egress.md'), 'utf8');

test('docs/egress.md: its configuration is one, and its table has every policy', () => {
  const yaml = /```yaml\n(.*?)```/s.exec(text)?.[1] ?? '';
  const { egress_allow: allow } = environmentSchema.partial().parse(parse(yaml).environment);
  expect(allow).toHaveLength(4);
  for (const entry of allow ?? []) expect(() => allowRule(entry)).not.toThrow();
  for (const mode of egressModes) expect(text).toContain(`\n| \`${mode}\``);
});
