import { WebwrightError } from '../../core/errors.ts';
import { type Box, type Rung, rungs } from './box.ts';
import { type BoxHost, makeBox, type Refusal, thisHost } from './candidates.ts';
import { explain } from './explain.ts';
import { selfTest, type Trial } from './self-test.ts';

/** The box that is used, and why no stronger one is. */
export interface ChosenBox {
  box: Box;
  /** One entry for each stronger rung that did not hold or was passed over; empty on the strongest. */
  rejected: ({ rung: Rung } & Refusal)[];
}

/** What a configuration says about the ladder (`environment.sandbox`). */
export interface Wanted {
  /** Exactly this rung. */
  use: Rung | null;
  /** At least this rung. */
  require: Rung | null;
}

/**
 * The strongest rung whose self-test passes (DESIGN §5), or the one that `use` names. Error SANDBOX with cause and remedy when that is weaker
 * than `require`, or when `use` does not hold: never skipped, never silently weaker. The process rung promises nothing, so nothing of it is tested.
 */
export async function chooseBox({
  wanted: { use, require },
  trial,
  host = thisHost(),
  test = selfTest,
}: {
  wanted: Wanted;
  /** What the self-test looks for besides what every box must hold. */
  trial: Trial;
  host?: BoxHost;
  test?: typeof selfTest;
}): Promise<ChosenBox> {
  const rejected: ChosenBox['rejected'] = [];
  for (const rung of rungs) {
    if (require && rungs.indexOf(rung) > rungs.indexOf(require)) break;
    if (use && rung !== use) {
      rejected.push({ rung, cause: `environment.sandbox.use asks for ${use}`, remedy: 'set environment.sandbox.use to null' });
      continue;
    }
    const box = await makeBox({ rung, host });
    if ('cause' in box) {
      rejected.push({ rung, ...box });
      continue;
    }
    if (rung === 'process') return { box, rejected: rejected.filter(each => each.rung !== rung) };
    const { failures, output } = await test({ box, trial });
    if (failures.length === 0) return { box, rejected };
    const why = output ? explain(output) : { cause: failures.join('; '), remedy: remedyFor(failures) };
    rejected.push({ rung, ...why });
  }
  const { cause, remedy } = rejected.find(each => each.rung === use) ?? rejected[0]!;
  throw new WebwrightError({
    code: 'SANDBOX',
    what: `The sandbox does not reach ${[
      ...(require ? [`environment.sandbox.require=${require}`] : []),
      ...(use ? [`environment.sandbox.use=${use}`] : []),
    ].join(' with ')}`,
    seen: cause,
    remedy,
  });
}

/** Another user cannot enter what is closed to others; namespaces can. */
function remedyFor(failures: readonly string[]): string {
  return failures.some(failure => failure.includes('could not be'))
    ? 'move project and Node.js to folders that every user may enter, or install bubblewrap'
    : 'run: webwright doctor';
}
