import { open } from 'node:fs/promises';
import { z } from 'zod';
import { isSelfMade } from '../self-made.ts';
import { checkKind, commonFields, show } from './check-kind.ts';

/** Bytes of a file that are searched for `includes`. */
const searchedBytes = 10_000_000;

/**
 * A file that is not empty was downloaded: with this name, with this text in its first 10 MB, or any when neither is given. One that code made inside
 * the page (`blob:`, `data:`) counts only with `madeInPage`: the agent's code can make such a file as well as the site's.
 */
export const downloadCheck = checkKind({
  kind: 'download',
  schema: z.strictObject({
    ...commonFields,
    kind: z.literal('download'),
    name: z.string().min(1).optional(),
    includes: z.string().min(1).optional(),
    madeInPage: z.boolean().optional(),
  }),
  requirement: ({ name, includes }) =>
    `${name ? `the file ${name}` : 'a file'} was downloaded${includes ? ` and contains "${includes}"` : ''}`,
  run: async ({ check: { name, includes, madeInPage = false }, context: { downloads } }) => {
    const alike = downloads.filter(file => file.bytes > 0 && (name === undefined || file.name === name));
    const named = alike.filter(({ url }) => madeInPage || !isSelfMade(url));
    const found: typeof named = [];
    for (const file of named) if (includes === undefined || (await beginningOf(file.path)).includes(includes)) found.push(file);
    return {
      pass: found.length > 0,
      expected: `${name ?? 'any file'}${includes ? ` containing "${includes}"` : ''}`,
      seen: show(downloads.map(file => `${file.name} (${file.bytes} bytes)`).join(', ') || 'no download'),
      evidence: (found.length > 0 ? found : named).map(file => `download ${file.name}`),
      ...(named.length > 0 && found.length === 0 ? { reason: `no downloaded file contains "${includes}"` } : {}),
      ...(named.length === 0 && alike.length > 0
        ? { reason: `${alike[0]!.name} was made by code inside the page; "madeInPage": true accepts that` }
        : {}),
    };
  },
});

async function beginningOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const buffer = Buffer.alloc(Math.min(searchedBytes, (await file.stat()).size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    return buffer.subarray(0, bytesRead).toString('utf8');
  } finally {
    await file.close();
  }
}
