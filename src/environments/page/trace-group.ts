import type { BrowserContext } from '@playwright/test';
import { withinOr } from '../deadline.ts';

/** The child's calls appear under this group in the trace, when one is recorded. */
export async function inTraceGroup<T>({
  context,
  title,
  action,
}: {
  context: BrowserContext;
  title: string;
  action: () => Promise<T>;
}): Promise<T> {
  const grouped = await withinOr({ promise: context.tracing.group(title).then(() => true), timeoutMs: 1_000, otherwise: false });
  try {
    return await action();
  } finally {
    if (grouped) await withinOr({ promise: context.tracing.groupEnd(), timeoutMs: 1_000, otherwise: undefined });
  }
}
