import type { BrowserContext } from '@playwright/test';

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
  // Neither is waited for: the server takes the calls of this connection in their order, and those of the child come later and end before.
  const begun = context.tracing.group(title).then(
    () => true,
    () => false,
  );
  try {
    return await action();
  } finally {
    void begun.then(isOpen => (isOpen ? context.tracing.groupEnd() : undefined)).catch(() => {});
  }
}
