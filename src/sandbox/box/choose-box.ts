import { execFileSync } from 'node:child_process';
import { WebwrightError } from '../../core/errors.ts';
import { type Box, processBox, type Rung } from './box.ts';
import { bwrapBox, explainBwrap, findBwrap } from './bwrap-box.ts';
import { selfTest } from './self-test.ts';

/** The box that is used, and why no stronger one is. */
export interface ChosenBox {
  box: Box;
  /** One line for each stronger rung that did not hold; empty on the strongest. */
  rejected: { rung: Rung; cause: string; remedy: string }[];
}

/** What {@link chooseBox} tries and what it looks at; injected in tests. */
export interface BoxHost {
  searchPath: string;
  versionOf: (bwrap: string) => string;
  test: typeof selfTest;
}

const order: readonly Rung[] = ['bwrap', 'process'];

/**
 * The best rung whose self-test passes (DESIGN §5). With `require`, a weaker one is refused with SANDBOX, cause and remedy: never skipped,
 * never silently weaker.
 */
export async function chooseBox({
  require,
  modulePath,
  readable,
  host = thisHost,
}: {
  require: Rung | null;
  /** A module that must load inside: playwright-core. */
  modulePath: string;
  readable: readonly string[];
  host?: BoxHost;
}): Promise<ChosenBox> {
  const rejected: ChosenBox['rejected'] = [];
  const bwrap = findBwrap(host.searchPath);
  if (!bwrap) {
    rejected.push({
      rung: 'bwrap',
      cause: 'bubblewrap (bwrap) is not installed',
      remedy: 'install bubblewrap (Debian: apt-get install bubblewrap)',
    });
  } else {
    const box = bwrapBox({ bwrap, version: host.versionOf(bwrap) });
    const { failures, output } = await host.test({ box, modulePath, readable });
    if (failures.length === 0) return { box, rejected };
    const { cause, remedy } = output ? explainBwrap(output) : { cause: failures.join('; '), remedy: 'run: webwright doctor' };
    rejected.push({ rung: 'bwrap', cause, remedy });
  }
  if (require && order.indexOf(require) < order.indexOf('process')) {
    const { cause, remedy } = rejected[0]!;
    throw new WebwrightError({
      code: 'SANDBOX',
      what: `The sandbox does not reach environment.sandbox.require=${require}`,
      seen: cause,
      remedy,
    });
  }
  return { box: processBox, rejected };
}

const thisHost: BoxHost = {
  searchPath: process.env.PATH ?? '',
  versionOf: bwrap => {
    try {
      return execFileSync(bwrap, ['--version'], { encoding: 'utf8', timeout: 5_000 }).trim().split(' ').at(-1) ?? '?';
    } catch {
      return '?';
    }
  },
  test: selfTest,
};
