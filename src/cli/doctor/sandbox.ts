import { WebwrightError } from '../../core/errors.ts';
import { boxFor, readablePackages } from '../../environments/box-for.ts';
import { integrityOf } from '../../sandbox/box/box.ts';
import type { Wanted } from '../../sandbox/box/choose-box.ts';
import { missing, ok } from './check.ts';

/** What would hold code of the model on this machine, by the self-test that also a run makes, and why nothing stronger does. */
export async function sandboxFinding({ wanted, packageRoot }: { wanted: Wanted; packageRoot: string }) {
  const moduleUrl = import.meta.url;
  const readable = readablePackages({ packageRoot, moduleUrl });
  try {
    const { box, rejected } = await boxFor({ wanted, moduleUrl, readable, network: 'none', workspaces: null });
    const why = rejected.map(({ rung, cause, remedy }) => `no ${rung}: ${cause} (${remedy})`);
    return ok([box.describe('none'), `guard and verdict: ${integrityOf(box.rung)}`, ...why].join('; '));
  } catch (error) {
    if (!(error instanceof WebwrightError)) throw error;
    return missing(`${error.what}: ${error.seen}`, error.remedy ?? 'see docs/sandbox.md');
  }
}
