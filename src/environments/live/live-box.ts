import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findPackageRoot } from '../../config/package-root.ts';
import type { Box, BoxPlan } from '../../sandbox/box/box.ts';
import type { ChosenBox, Wanted } from '../../sandbox/box/choose-box.ts';
import { giveTo, letThrough } from '../../sandbox/box/give-to.ts';
import { killUser } from '../../sandbox/kill-tree.ts';
import { boxFor, readablePackages } from '../box-for.ts';

/** Where runner children of one attempt run. */
export interface LiveBox {
  box: Box;
  rejected: ChosenBox['rejected'];
  /** For reports. */
  description: string;
  /** Put before the command of a child. */
  wrap: string[];
  /** A folder for temporary files, as the child sees it. */
  temporary: string;
  /** Where a child is started; its own when the box brings none. */
  cwd: string;
  /** Ends what is left in the box. */
  close(): void;
}

/**
 * Bytes of data of a child: what its heap and buffers may have, and what Node and Playwright have besides (reliability.md §2.3). Since Node 23
 * each isolate reserves 512 MiB for code, which counts as data without being used (measured: 575 MB where Node 22 has 49); a child has two, its own
 * and that of its watchdog.
 */
export function dataBytes({ memoryMb, nodeVersion = process.versions.node }: { memoryMb: number; nodeVersion?: string }): number {
  const reserved = Number.parseInt(nodeVersion, 10) >= 23 ? 2 * 537_000_000 : 0;
  return residentBytes(memoryMb) + 600_000_000 + reserved;
}

/** Bytes of memory at which a child is ended: heap, buffers half as much again, and Node itself. */
export function residentBytes(memoryMb: number): number {
  return memoryMb * 1_500_000 + 200_000_000;
}

/**
 * The box of an attempt's runner children: no network, no workspace, nothing to read but Node and packages, and one way out: the socket of the
 * guard, whose folder must exist already. The ladder is climbed once per worker, with a real page behind the guard.
 */
export async function openLiveBox({
  wanted,
  endpoint,
  nodePath,
  memoryMb,
}: {
  wanted: Wanted;
  endpoint: { address: string; folder: string };
  nodePath: string;
  memoryMb: number;
}): Promise<LiveBox> {
  const moduleUrl = import.meta.url;
  const node = dirname(dirname(realpathSync(nodePath)));
  const readable = [
    ...readablePackages({ packageRoot: findPackageRoot(moduleUrl), moduleUrl }),
    ...(nodePath === process.execPath ? [] : [node]),
  ];
  const { box, rejected } = await boxFor({ wanted, moduleUrl, network: 'none', readable, workspaces: null, endpoint });
  letThrough({ box, folder: endpoint.folder });
  giveTo({ box, paths: [endpoint.address] });
  const own = box.rung === 'bwrap' ? null : mkdtempSync(join(tmpdir(), 'webwright-runner-'));
  if (own) giveTo({ box, paths: [own] });
  const temporary = own ?? '/tmp';
  const plan: BoxPlan = {
    cwd: temporary,
    writable: [],
    readable: [...readable, endpoint.folder],
    network: 'none',
    limits: { tasks: 64, fileBytes: 100_000_000, dataBytes: dataBytes({ memoryMb }), temporaryBytes: 100_000_000 },
  };
  return {
    box,
    rejected,
    description: box.describe('none'),
    wrap: box.wrap(plan),
    temporary,
    cwd: own ?? '/',
    close() {
      if (box.rung === 'uid' && box.user !== null) killUser(box.user);
      if (own) rmSync(own, { recursive: true, force: true });
    },
  };
}
