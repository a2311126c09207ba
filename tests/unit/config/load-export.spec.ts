import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { isModuleSpec, makeFromModule } from '../../../src/config/load-export.ts';

const root = mkdtempSync(join(tmpdir(), 'webwright-modules-'));
writeFileSync(
  join(root, 'mine.mjs'),
  'export class Mine { constructor({ n }) { this.n = n; } }\nexport const make = async ({ n }) => ({ n: n + 1 });\nexport const text = "no";\n',
);
writeFileSync(join(root, 'broken.mjs'), 'export const = 1;\n');
const make = (spec: string) => makeFromModule({ key: 'environment.environment_class', spec, root, context: { n: 1 } });

test('a class is constructed and a function is called, both with the context', async () => {
  expect(await make('./mine.mjs#Mine')).toEqual({ n: 1 });
  expect(await make('./mine.mjs#make')).toEqual({ n: 2 });
});

for (const [spec, message] of [
  ['./mine.mjs#Your', /no function or class "Your"[\s\S]*it exports: Mine, make, text/],
  ['./mine.mjs#text', /no function or class "text"/],
  ['./none.mjs#Mine', /cannot be imported/],
  ['./broken.mjs#Mine', /cannot be imported/],
] as const) {
  test(`${spec} is refused with the key and the remedy`, async () => {
    await expect(make(spec)).rejects.toThrow(message);
    await expect(make(spec)).rejects.toThrow(/^environment\.environment_class/);
  });
}

test('shipped names are no modules', () => {
  expect([isModuleSpec('live'), isModuleSpec('./a.ts#A')]).toEqual([false, true]);
});
