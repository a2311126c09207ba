import type { CDPSession } from '@playwright/test';

/**
 * Evaluates an expression in the main frame, in a world of its own: it sees the page's DOM, and nothing that the page's scripts have
 * patched. Playwright's locators read in a world of the same kind.
 */
export async function evaluateIsolated<T>({
  cdp,
  expression,
  timeoutMs,
}: {
  cdp: CDPSession;
  expression: string;
  timeoutMs: number;
}): Promise<T> {
  const { frameTree } = await cdp.send('Page.getFrameTree');
  const { executionContextId } = await cdp.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id, worldName: 'webwright' });
  const { result, exceptionDetails } = await cdp.send('Runtime.evaluate', {
    expression,
    contextId: executionContextId,
    returnByValue: true,
    timeout: timeoutMs,
  });
  if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
  return result.value as T;
}
