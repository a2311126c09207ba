import type { Frame, Page } from '@playwright/test';
import { within, withinOr } from '../deadline.ts';
import { evaluateIsolated } from '../page/isolated-world.ts';
import type { Tab } from '../page/tabs.ts';
import { pageScript } from './dom/script.ts';
import type { PageTree, TreeNode } from './tree.ts';

/** Larger pages are not walked whole (reliability §4: 50,000 nodes can block a renderer for 20 s). */
const walkLimits = { nodes: 20_000, timeMs: 800, group: 30 };
const callMs = 3_000;
const maxFrames = 5;
const frameLimits = { nodes: 3_000, timeMs: 200, group: 30 };

/**
 * The tree of a tab as {@link pageScript} sees it, in a world of its own that the page's scripts cannot patch. A navigation in
 * the middle is tried again once. Throws when the page does not answer.
 */
export async function readPageTree({ tab }: { tab: Pick<Tab, 'page' | 'cdp'> }): Promise<PageTree> {
  const read = async () => {
    const cdp = await withinOr({ promise: tab.cdp, timeoutMs: callMs, otherwise: null });
    const promise = cdp
      ? evaluateIsolated<PageTree>({ cdp, expression: pageScript(walkLimits), timeoutMs: callMs })
      : (tab.page.evaluate(pageScript(walkLimits)) as Promise<PageTree>);
    return within({ promise, timeoutMs: callMs, what: 'the page' });
  };
  let tree = await read().catch(error => {
    if (!/context|navigat|frame/i.test((error as Error).message)) throw error;
    return null;
  });
  if (!tree || tree.loading) {
    await withinOr({ promise: tab.page.waitForLoadState('domcontentloaded'), timeoutMs: 2_000, otherwise: undefined });
    tree = await read();
  }
  await fillFrames({ page: tab.page, root: tree.root });
  return tree;
}

/** Puts the content of frames from other sites, which the walk could not enter, into their places. */
async function fillFrames({ page, root }: { page: Page; root: TreeNode }): Promise<void> {
  const places = [...framesIn(root)].slice(0, maxFrames);
  if (places.length === 0) return;
  const frames = page.mainFrame().childFrames();
  await Promise.all(
    places.map(async (place, index) => {
      const frame = frames.find(candidate => candidate.url() === place.v) ?? frames[index];
      const tree = frame && (await withinOr({ promise: frameTree(frame), timeoutMs: 1_000, otherwise: null }));
      if (tree) place.c = tree.root.c ?? [];
    }),
  );
}

function frameTree(frame: Frame): Promise<PageTree> {
  return frame.evaluate(pageScript(frameLimits));
}

function* framesIn(node: TreeNode): Generator<TreeNode> {
  if (node.f) yield node;
  for (const child of node.c ?? []) yield* framesIn(child);
}
