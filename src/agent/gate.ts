import type { ExitInfo } from '../core/exit.ts';
import type { CoachVerdict } from '../core/verdict.ts';
import type { EventLog } from '../record/event-log.ts';

/** What stands behind a `done`: the material for the coach, or a fact that is missing, decided by code and without any paid call. */
export type Completion<Material> = { refusal: string } | { material: Material };

export type GateDecision =
  | { passed: true; verdict: CoachVerdict | null }
  /** `message` says what to do next. `verdict` is absent when no look was needed to refuse. */
  | { passed: false; message: string; verdict: CoachVerdict | null }
  /** All looks are used up: the attempt ends. */
  | { exit: ExitInfo };

/** Decides whether a `done` stands. The agent sees a refusal's message and nothing else of it. */
export type Gate = (options: { step: number; finalResponse: string; signal: AbortSignal }) => Promise<GateDecision>;

/**
 * The completion gate: facts first, then one look of the coach (DESIGN §6). The verdict is a value in this process; no file decides anything.
 *
 * @example
 * const gate = completionGate({ required: true, maxLooks: 5, log, collect, look });
 */
export function completionGate<Material>({
  required,
  maxLooks,
  log,
  collect,
  look,
}: {
  /** `agent.require_self_reflection_success`; false lets every answer through as `claimed`. */
  required: boolean;
  maxLooks: number;
  log: EventLog;
  collect: () => Promise<Completion<Material>>;
  look: (options: { material: Material; look: number; finalResponse: string; signal: AbortSignal }) => Promise<CoachVerdict>;
}): Gate {
  let looks = 0;
  return async ({ step, finalResponse, signal }) => {
    const decided = (decision: GateDecision, reason: string): GateDecision => {
      log.append({ type: 'gate-decided', step, passed: 'passed' in decision && decision.passed, reason });
      return decision;
    };
    const refused = (message: string, verdict: CoachVerdict | null = null) => decided({ passed: false, message, verdict }, message);

    if (!required) return decided({ passed: true, verdict: null }, 'the gate is off: the answer is a claim');
    if (finalResponse.trim() === '')
      return refused('done needs the answer in final_response. Send done again with the answer, or go on working.');
    const completion = await collect();
    if ('refusal' in completion) return refused(completion.refusal);
    if (looks >= maxLooks) {
      const detail = `reflections: all ${maxLooks} looks of the judge are used`;
      return decided(
        { exit: { exit_status: 'LimitsExceeded', submission: '', final_response: finalResponse, limit: 'reflections', detail } },
        detail,
      );
    }
    looks += 1;
    const verdict = await look({ material: completion.material, look: looks, finalResponse, signal });
    log.append({ type: 'coach-looked', step, verdict });
    if (verdict.predicted_label === 1) return decided({ passed: true, verdict }, 'self-reflection passed');
    return refused(refusalText({ verdict, left: maxLooks - looks }), verdict);
  };
}

function refusalText({ verdict, left }: { verdict: CoachVerdict; left: number }): string {
  const where =
    verdict.run === undefined ? '' : ` Repair the final script, run it again as run_${verdict.run + 1}, and send done after that.`;
  return [
    `Not done yet: self-reflection returned predicted_label ${verdict.predicted_label}.`,
    `The judge's reasons:\n${verdict.reasons || '(none could be read; that counts as failure)'}`,
    `Repair what it names and make the evidence visible.${where} ${left > 0 ? `${left} looks are left.` : 'This was the last look.'}`,
  ].join('\n\n');
}
