import { createHash } from 'node:crypto';
import type { CompletionMaterial, EvidenceItem } from '../core/evidence.ts';
import type { ExitInfo } from '../core/exit.ts';
import type { CoachVerdict } from '../core/verdict.ts';
import type { EventLog } from '../record/event-log.ts';
import { onlyOnce } from './facts.ts';

/** What stands behind a `done`: the material for the coach, or a fact that is missing, decided by code and without any paid call. */
export type Completion = { refusal: string } | { material: CompletionMaterial };

export type GateDecision =
  | { passed: true; verdict: CoachVerdict | null }
  /** `message` says what to do next. `verdict` is absent when no look was needed to refuse. */
  | { passed: false; message: string; verdict: CoachVerdict | null }
  /** All looks are used up: the attempt ends. */
  | { exit: ExitInfo };

/** Decides whether a `done` stands. The agent sees a refusal's message and nothing else of it. */
export type Gate = (options: { step: number; finalResponse: string; signal: AbortSignal }) => Promise<GateDecision>;

/** The coach of one attempt: the gate on `done`, and looks that a workspace may ask for before. Both share the looks. */
export interface Coach {
  gate: Gate;
  /** One look at the newest final run, or at the one asked for. */
  selfReflection(options: { run?: number }): Promise<{ verdict: CoachVerdict } | { refusal: string }>;
  /** The newest verdict. */
  verdict(): CoachVerdict | null;
  looks(): number;
}

export interface CoachOptions {
  /** `agent.require_self_reflection_success`; false lets every answer through as `claimed`. */
  required: boolean;
  /** `agent.gate`: `facts` stops after what code can decide (the cheap gate). */
  mode: 'facts' | 'self_reflection';
  maxLooks: number;
  log: EventLog;
  step: () => number;
  signal: AbortSignal;
  collect: (options: { run?: number }) => Promise<Completion>;
  /** What the final addresses show when the harness opens them anew; only what differs from the material. */
  fresh?: (material: CompletionMaterial) => Promise<EvidenceItem[]>;
  /** What a look changed for the agent, for the refusal that follows it. */
  lookCost?: string;
  look: (options: { material: CompletionMaterial; look: number; finalResponse: string; signal: AbortSignal }) => Promise<CoachVerdict>;
  /** Writes a verdict where the agent can read it. */
  exportVerdict: (verdict: CoachVerdict) => void;
}

/**
 * Facts first, then one look of the coach (DESIGN §6). The verdict is a value in this process, bound to what was judged: the run,
 * the digests of its images, its log and the answer. The same material is never judged twice: a pass stands, and so does a refusal.
 */
export function createCoach({
  required,
  mode,
  maxLooks,
  log,
  step,
  signal,
  collect,
  fresh = async () => [],
  lookCost = '',
  look,
  exportVerdict,
}: CoachOptions): Coach {
  const judged = new Map<string, CoachVerdict>();
  /** Runs that passed, and what they were then. */
  const passed = new Map<number, string>();
  let newest: CoachVerdict | null = null;
  let looks = 0;

  const verdictOn = async ({
    material,
    finalResponse,
    signal: ends,
  }: {
    material: CompletionMaterial;
    finalResponse: string;
    signal: AbortSignal;
  }) => {
    const digest = digestOf({ material, finalResponse });
    const known = judged.get(digest);
    if (known || looks >= maxLooks) return known ?? null;
    looks += 1;
    const verdict = await look({ material, look: looks, finalResponse, signal: ends });
    judged.set(digest, verdict);
    newest = verdict;
    if (verdict.predicted_label === 1 && material.run !== undefined) passed.set(material.run, materialDigest(material));
    log.append({ type: 'coach-looked', step: step(), verdict });
    exportVerdict(verdict);
    return verdict;
  };

  /** Where an earlier run passed and is still what was judged: how to have it again as the newest. */
  const wayBack = async (refused: number | undefined): Promise<string> => {
    for (const run of [...passed.keys()].sort((a, b) => b - a)) {
      if (run === refused) continue;
      const completion = await collect({ run });
      if ('refusal' in completion || materialDigest(completion.material) !== passed.get(run)) continue;
      return `\n\nrun_${run} passed and is unchanged, but only the newest run counts. To make it the newest again: cp final_runs/run_${run}/final_script.mjs final_script.mjs && node final_script.mjs`;
    }
    return '';
  };

  return {
    verdict: () => newest,
    looks: () => looks,
    async selfReflection(options) {
      const completion = await collect(options);
      if ('refusal' in completion) return completion;
      const { material } = completion;
      const verdict = await verdictOn({ material, finalResponse: answerIn(material.log), signal });
      return verdict
        ? { verdict }
        : { refusal: `All ${maxLooks} looks of the judge are used. Send done with the answer you can stand behind.` };
    },
    async gate({ step: at, finalResponse, signal: ends }) {
      const decided = (decision: GateDecision, reason: string): GateDecision => {
        log.append({ type: 'gate-decided', step: at, passed: 'passed' in decision && decision.passed, reason });
        return decision;
      };
      const refused = (message: string, verdict: CoachVerdict | null = null) => decided({ passed: false, message, verdict }, message);
      if (!required) return decided({ passed: true, verdict: null }, 'the gate is off: the answer is a claim');
      if (finalResponse.trim() === '')
        return refused('done needs the answer in final_response. Send done again with the answer, or go on working.');
      const completion = await collect({});
      if ('refusal' in completion) return refused(completion.refusal + (await wayBack(undefined)));
      if (mode === 'facts') return decided({ passed: true, verdict: null }, 'the facts are there; the gate asks no judge');
      const { material } = completion;
      const seen = { ...material, images: [...material.images, ...(await fresh(material))] };
      const verdict = await verdictOn({ material: seen, finalResponse, signal: ends });
      if (!verdict) {
        const detail = `reflections: all ${maxLooks} looks of the judge are used`;
        const exit: ExitInfo = {
          exit_status: 'LimitsExceeded',
          submission: '',
          final_response: finalResponse,
          limit: 'reflections',
          detail,
        };
        return decided({ exit }, detail);
      }
      if (verdict.predicted_label === 1) return decided({ passed: true, verdict }, 'self-reflection passed');
      return refused(refusalText({ verdict, left: maxLooks - looks, lookCost }) + (await wayBack(verdict.run)), verdict);
    },
  };
}

function digestOf({ material, finalResponse }: { material: CompletionMaterial; finalResponse: string }): string {
  return sha256([materialDigest(material), finalResponse.trim()]);
}

/** Everything of a run that a judge is shown, and the script that made it. */
function materialDigest({ run, log, images, downloads = [], openTabs = [], scriptSha256 }: CompletionMaterial): string {
  const seen = images.map(({ image, source, label }) => [image.sha256, source, label]);
  return sha256([run ?? null, scriptSha256 ?? null, log, seen, downloads.map(({ sha256 }) => sha256), openTabs]);
}

function sha256(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/** The answer a final script logged last. */
function answerIn(log: string): string {
  return [...log.matchAll(/^(?:Final Response|FINAL_RESPONSE):[ \t]*(.*)$/gm)].at(-1)?.[1] ?? '';
}

function refusalText({ verdict, left, lookCost }: { verdict: CoachVerdict; left: number; lookCost: string }): string {
  const where =
    verdict.run === undefined
      ? ''
      : ` Repair the final script, run it again as run_${verdict.run + 1}, and send done after that. ${onlyOnce}`;
  return [
    `Not done yet: self-reflection returned predicted_label ${verdict.predicted_label}.`,
    `The judge's reasons:\n${verdict.reasons || '(none could be read; that counts as failure)'}`,
    `Repair what it names and make the evidence visible.${where} ${left > 0 ? `${left} looks are left.` : 'This was the last look.'}${lookCost && ` ${lookCost}`}`,
  ].join('\n\n');
}
