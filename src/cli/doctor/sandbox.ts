import { boxForCommands, readableForCommands } from '../../environments/workspace/workspace-box.ts';
import type { Rung } from '../../sandbox/box/box.ts';
import { missing, ok } from './check.ts';

/** What would hold the commands of a workspace on this machine, by the self-test that also a run makes. Live code has one rung. */
export async function sandboxFinding({ require, packageRoot }: { require: Rung | null; packageRoot: string }) {
  const moduleUrl = import.meta.url;
  const readable = readableForCommands({ packageRoot, moduleUrl, browsers: packageRoot });
  const live = 'live code: a plain process of your user';
  try {
    const { box, rejected } = await boxForCommands({ require, moduleUrl, readable });
    if (box.rung === 'bwrap') return ok(`commands: bubblewrap, its self-test passes; ${live}`);
    return ok(`commands: plain processes of your user (${rejected[0]?.cause}; ${rejected[0]?.remedy}); ${live}`);
  } catch (error) {
    return missing(
      (error as Error).message.split('\n').slice(0, 2).join(' '),
      'see docs/workspace.md, or set environment.sandbox.require to null',
    );
  }
}
