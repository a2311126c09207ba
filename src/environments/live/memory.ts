import { withinOr } from '../deadline.ts';
import type { StepEvents } from '../page/events.ts';
import type { Tab } from '../page/tabs.ts';

/** From here on a page is likely to be ended by the browser or the machine. */
const largeBytes = 1_000_000_000;

/** Reports a page that holds more than 1 GB, array buffers included. */
export async function reportMemory({ tab, events }: { tab: Tab; events: StepEvents }): Promise<void> {
  const cdp = await withinOr({ promise: tab.cdp, timeoutMs: 500, otherwise: null });
  const heap = cdp && (await withinOr({ promise: cdp.send('Runtime.getHeapUsage'), timeoutMs: 500, otherwise: null }));
  if (!heap) return;
  const { usedSize, backingStorageSize = 0 } = heap as { usedSize: number; backingStorageSize?: number };
  const bytes = usedSize + backingStorageSize;
  if (bytes > largeBytes) events.add('harness', `The page uses ${(bytes / 1e9).toFixed(1)} GB of memory; it may crash.`);
}
