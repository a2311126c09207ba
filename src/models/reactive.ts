import { ModelCallError } from '../core/errors.ts';
import { textOf } from '../core/messages.ts';
import type { ModelRequest, ModelRole } from '../core/model.ts';
import { type RoleScript, type Script, type ScriptedAnswer, type ScriptedModel, scripted } from './scripted.ts';

/** One reflex: when the last message matches, this is the answer. */
export interface Reaction {
  /** Text or pattern looked for in the last user message, or a test of it. */
  when: string | RegExp | ((observation: string, request: ModelRequest) => boolean);
  answer: ScriptedAnswer | ((observation: string, request: ModelRequest) => ScriptedAnswer);
  /** How often it may fire; without a limit by default. */
  times?: number;
}

/**
 * A model that decides from the last observation instead of counting turns, so that a test survives one more or one less
 * step. The first reaction that matches answers; when none does the call fails and shows what was observed. Other
 * roles are scripted as in {@link scripted}.
 *
 * @example
 * const model = reactive({
 *   agent: [
 *     { when: 'Accept cookies', answer: { playwright_code: "await page.getByRole('button', { name: 'Accept' }).click()" } },
 *     { when: /Cart \(1\)/, answer: { done: true, final_response: 'In the cart.' } },
 *   ],
 * });
 */
export function reactive({
  agent,
  ...others
}: { agent: readonly Reaction[] } & Partial<Record<Exclude<ModelRole, 'agent'>, RoleScript>>): ScriptedModel {
  const fired = new Map<Reaction, number>();
  const react = (request: ModelRequest): ScriptedAnswer => {
    const observation = textOf(request.messages.findLast(({ role }) => role === 'user') ?? { content: '' });
    const reaction = agent.find(
      candidate =>
        (fired.get(candidate) ?? 0) < (candidate.times ?? Number.POSITIVE_INFINITY) &&
        matches({ when: candidate.when, observation, request }),
    );
    if (!reaction) {
      throw new ModelCallError({
        failure: 'recording',
        what: `No reaction matches the last observation (call ${request.key}, ${agent.length} reactions)`,
        seen: observation.slice(-600).toWellFormed(),
        remedy: 'add a reaction whose `when` matches this text',
      });
    }
    fired.set(reaction, (fired.get(reaction) ?? 0) + 1);
    return typeof reaction.answer === 'function' ? reaction.answer(observation, request) : reaction.answer;
  };
  return { ...scripted({ ...others, agent: react } satisfies Script), name: 'reactive' };
}

function matches({ when, observation, request }: { when: Reaction['when']; observation: string; request: ModelRequest }): boolean {
  if (typeof when === 'function') return when(observation, request);
  return typeof when === 'string' ? observation.includes(when) : observation.search(when) >= 0;
}
