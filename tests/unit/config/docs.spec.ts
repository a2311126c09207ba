import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { referenceParts, withParts } from './reference.ts';
import { packageRoot } from './shipped.ts';

// After a change of schema or prompts: npx playwright test -c tests --project=unit config/docs -u
test('docs/configuration.md says what the schema, the shipped files and the prompts say', ({}, testInfo) => {
  const path = join(packageRoot, 'docs', 'configuration.md');
  const text = readFileSync(path, 'utf8');
  const current = withParts({ text, parts: referenceParts() });
  if (testInfo.config.updateSnapshots === 'all' || testInfo.config.updateSnapshots === 'changed') writeFileSync(path, current);
  else expect(text).toBe(current);
});
