import type { EvidenceItem } from '../core/evidence.ts';
import { isAboutAnswer } from '../judge/answer-values.ts';
import type { Completion } from './gate.ts';
import type { CriticalPoint } from './prompts.ts';

/** What a run repeats, it does again. Goes with every refusal that asks for another run. */
export const onlyOnce =
  "What was ordered, booked or sent must not be sent again: let the next run begin with open('…', { session: 'previous' }), which keeps cookies and login of the last one, and show there what is done already.";

/** A plan may add so many points, each of so many characters. */
const most = { added: 12, characters: 300 };

/** Lines `- [ ] CP3: …` of a plan; a mark in the box and a bullet of another kind are fine. */
const pointLine = /^\s*[-*]\s*(?:\[.?\]\s*)?\**CP0*(\d{1,3})\**\s*[:.)]\s*(.*)$/gimu;

/**
 * What code can say against a `done` before any judge is asked (DESIGN §9.5): the run's own facts, the plan, and a word about every
 * critical point. Everything that is missing is said at once. Points that the plan adds are shown to the judge beside the log.
 */
export function withFacts({
  completion,
  plan,
  points,
}: {
  completion: Completion;
  /** Undefined where there is no plan to write (live). */
  plan: string | null | undefined;
  points: readonly CriticalPoint[];
}): Completion {
  if (plan === undefined) return completion;
  const ofPlan = planProblem({ plan, points });
  if ('refusal' in completion) return { refusal: [ofPlan, completion.refusal].filter(Boolean).join('\n\n') };
  const { material } = completion;
  const added = addedPoints({ plan, points });
  const unproven = unprovenPoints({ points: [...points, ...added], ...material });
  const ofRun =
    unproven.length > 0
      ? unprovenProblem({ what: material.run === undefined ? 'The run' : `final_runs/run_${material.run}`, unproven })
      : null;
  if (ofPlan || ofRun) return { refusal: [ofPlan, ofRun, ofRun && onlyOnce].filter(Boolean).join('\n\n') };
  if (added.length === 0) return completion;
  const lines = added.map(({ id, text }) => `plan.md adds ${id}: ${text}\n`).join('');
  return { material: { ...material, log: lines + material.log } };
}

/** What is wrong with a plan, and what to write; null when it names every critical point. */
export function planProblem({ plan, points }: { plan: string | null; points: readonly CriticalPoint[] }): string | null {
  const heading = 'under "# Critical Points"';
  if (!plan?.trim()) {
    const why = plan === null ? 'There is no plan.md' : 'plan.md is empty';
    return `${why}. Write it: ${heading} a line "- [ ] CP1: …" for each critical point of the task.`;
  }
  const named = new Set([...plan.matchAll(pointLine)].map(([, number]) => `CP${number}`));
  const missing = points.filter(({ id }) => !named.has(id));
  if (missing.length === 0) return null;
  const lines = missing.map(({ id, text }) => `- [ ] ${id}: ${text}`).join('\n');
  return `plan.md leaves out ${idsOf(missing)}. A plan may add points, never drop them. Put back, ${heading}:\n${lines}`;
}

/** Points that only the plan has: it may add some (DESIGN §6). Their words are the agent's. */
export function addedPoints({ plan, points }: { plan: string | null; points: readonly CriticalPoint[] }): CriticalPoint[] {
  const given = new Set(points.map(({ id }) => id));
  const added = new Map([...(plan ?? '').matchAll(pointLine)].map(([, number, text = '']) => [`CP${number}`, text]));
  return [...added]
    .filter(([id, text]) => !given.has(id) && text.trim() !== '')
    .slice(0, most.added)
    .map(([id, text]) => ({ id, text: text.trim().slice(0, most.characters) }));
}

/**
 * Points for which a run has neither a screenshot of the harness nor a log line: none that names the point (`shot('CP2 sorted')`,
 * `step('CP1: …')`), and none that shares a word with it; what the answer must say is held against the answer. Decided before a judge is paid, so it errs on the side of letting him look.
 */
export function unprovenPoints({
  points,
  log,
  images,
}: {
  points: readonly CriticalPoint[];
  log: string;
  images: readonly Pick<EvidenceItem, 'label' | 'source'>[];
}): CriticalPoint[] {
  const labels = images.filter(({ source }) => source === 'harness').map(({ label }) => label);
  const shown = [...labels, log.replace(/^step \d+ \w+:/gm, '')].join('\n');
  const named = new Set([...shown.matchAll(/(?<![\p{L}\p{N}])CP0*(\d{1,3})(?!\p{N})/giu)].map(([, number]) => `CP${number}`));
  const stems = new Set(stemsOf(shown));
  const isAnswered = /^(?:Final Response|FINAL_RESPONSE):|\banswer\(/m.test(log);
  return points.filter(({ id, text }) => {
    if (isAnswered && isAboutAnswer({ requirement: text })) return false;
    const own = stemsOf(text);
    return !named.has(id) && own.length > 0 && !own.some(stem => stems.has(stem));
  });
}

/**
 * What would refuse a run of a final script whatever it does: the plan, and points that it does not speak of at all. Null when nothing would.
 * Asked before a run begins: one that orders something and is refused afterwards for a missing line can only order it again.
 */
export function scriptProblem({
  text,
  plan,
  points,
}: {
  text: string;
  plan: string | null;
  points: readonly CriticalPoint[];
}): string | null {
  const ofPlan = planProblem({ plan, points });
  const silent = unprovenPoints({ points: [...points, ...addedPoints({ plan, points })], log: text, images: [] });
  const ofScript = silent.length > 0 ? unprovenProblem({ what: 'final_script.mjs', unproven: silent }) : null;
  if (!ofPlan && !ofScript) return null;
  return [ofPlan, ofScript, 'Nothing was done yet: such a run would be refused.'].filter(Boolean).join('\n\n');
}

/** For the model: which points nothing speaks of, and what to write. */
export function unprovenProblem({ what, unproven }: { what: string; unproven: readonly CriticalPoint[] }): string {
  const example = unproven[0]!.id;
  return [
    `${what} has neither a screenshot nor a log line for ${idsOf(unproven)}:`,
    ...unproven.map(({ id, text }) => `- ${id}: ${text}`),
    `Do what is missing and name the point where it is proven, shot('${example} …') or step('${example}: …'); then run node final_script.mjs again.`,
  ].join('\n');
}

const idsOf = (points: readonly CriticalPoint[]) => points.map(({ id }) => id).join(', ');

/** Words about proving, not about the task; four letters or more. */
const plain = new Set(
  'answer answers been confirmation each every exactly from have into must only page pages seen shown shows site state stated states than that them then there these they this when where which will with'
    .split(' ')
    .map(stemOf),
);

/** The beginnings of the words and numbers in a text: `reserved` and `reservation` have the same. */
function stemsOf(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}{4,}|\p{N}{2,}/gu) ?? [];
  return words.map(stemOf).filter(stem => !plain.has(stem));
}

function stemOf(word: string): string {
  return word.slice(0, 5);
}
