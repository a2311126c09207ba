import { createRequire } from 'node:module';
import { join } from 'node:path';
import { unknownCalls } from './policy.ts';

/** Every call of an installed playwright-core as `Type.method`; undefined when it does not tell. */
export function protocolOf(coreFolder: string): string[] | undefined {
  try {
    const { iso } = createRequire(import.meta.url)(join(coreFolder, 'lib', 'coreBundle.js')) as {
      iso?: { methodMetainfo?: Map<string, unknown> };
    };
    return iso?.methodMetainfo ? [...iso.methodMetainfo.keys()] : undefined;
  } catch {
    return undefined;
  }
}

/** What should be said about a Playwright version that the policy was not written for; null when every call of it is known. */
export function protocolWarning(coreFolder: string): string | null {
  const protocol = protocolOf(coreFolder);
  if (!protocol) return 'guard: this Playwright does not list its calls; those that are not known to the guard are refused';
  const unknown = unknownCalls(protocol);
  return unknown.length === 0 ? null : `guard: calls of this Playwright that the guard does not know and refuses: ${unknown.join(', ')}`;
}
