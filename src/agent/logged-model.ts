import { createHash } from 'node:crypto';
import { ModelCallError } from '../core/errors.ts';
import type { Model, ModelRequest } from '../core/model.ts';
import type { EventLog } from '../record/event-log.ts';

/** Every call of a model as an event: what was asked (by digest), what came back, what it cost, or why nothing came. */
export function loggedModel({ model, log, step }: { model: Model; log: EventLog; step: () => number }): Model {
  return {
    name: model.name,
    provider: model.provider,
    async complete(request) {
      try {
        const reply = await model.complete(request);
        const { text, ...rest } = reply;
        log.append({ type: 'model-called', role: request.role, key: request.key, step: step(), requestDigest: digestOf(request), ...rest });
        return reply;
      } catch (error) {
        const failure = error instanceof ModelCallError ? error.failure : 'unexpected';
        log.append({ type: 'model-failed', role: request.role, key: request.key, failure, detail: (error as Error).message });
        throw error;
      }
    },
  };
}

/** Hex digest of what the model is shown: roles, texts, image digests, schema. */
export function digestOf({ messages, schema }: Pick<ModelRequest, 'messages' | 'schema'>): string {
  const shown = messages.map(({ role, content }) => [
    role,
    typeof content === 'string' ? content : content.map(part => (part.type === 'text' ? part.text : part.sha256)),
  ]);
  return createHash('sha256')
    .update(JSON.stringify([shown, schema ?? null]))
    .digest('hex');
}
