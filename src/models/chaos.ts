import { ModelCallError } from '../core/errors.ts';
import type { Model, ModelReply, ModelRequest, ModelRole } from '../core/model.ts';
import { noUsage } from '../core/usage.ts';
import { abortedError } from './scripted.ts';

/** What can go wrong with one call, as the loop meets it once the provider's own retries are used up. */
export type Fault =
  | 'cut-json'
  | 'cut-length'
  | 'wrong-schema'
  | 'refusal'
  | 'content-filter'
  | 'empty'
  | 'rate-limit'
  | 'unreachable'
  | 'stall';

/**
 * A model that fails at given calls and is itself at all others. A fault takes the place of a call: the model behind
 * it is not asked, so its script goes on where it was. `stall` never answers until the request is aborted.
 *
 * @example
 * const model = chaos({ model: scripted([open, answer]), faults: { 1: 'cut-json', 3: 'rate-limit' } }); // 1 = first call of the agent
 */
export function chaos<M extends Model>({
  model,
  faults,
  role = 'agent',
}: {
  model: M;
  faults: Record<number, Fault>;
  role?: ModelRole;
}): M {
  let calls = 0;
  const complete: Model['complete'] = async request => {
    if (request.role !== role) return model.complete(request);
    calls += 1;
    const fault = faults[calls];
    return fault ? fail({ fault, request }) : model.complete(request);
  };
  // Inherits what else the model has (`requests`, getters), live.
  return Object.create(model, { complete: { value: complete, enumerable: true } }) as M;
}

function fail({ fault, request }: { fault: Fault; request: ModelRequest }): ModelReply | Promise<never> {
  const reply = (text: string, finishReason: ModelReply['finishReason'] = 'stop'): ModelReply => ({
    text,
    usage: noUsage,
    finishReason,
    model: 'chaos',
    costUsd: 0,
    durationMs: 0,
    attempts: 0,
    source: 'scripted',
  });
  switch (fault) {
    case 'cut-json':
      return reply('{"thought": "The next thing to do is to op');
    case 'cut-length':
      return reply('{"thought": "The next thing to do is to op', 'length');
    case 'wrong-schema':
      return reply('{"plan": ["open the page"], "done": "almost"}');
    case 'refusal':
      return reply("I can't help with that.", 'refusal');
    case 'content-filter':
      return reply('', 'content_filter');
    case 'empty':
      return reply('');
    case 'rate-limit':
      throw new ModelCallError({ failure: 'rate-limit', status: 429, what: `chaos: 429 for ${request.role} ${request.key}` });
    case 'unreachable':
      throw new ModelCallError({ failure: 'unreachable', what: `chaos: no connection for ${request.role} ${request.key}` });
    case 'stall':
      return new Promise((_, reject) => {
        const abort = () => reject(abortedError(request));
        if (request.signal.aborted) abort();
        else request.signal.addEventListener('abort', abort, { once: true });
      });
  }
}
