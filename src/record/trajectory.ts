import type { Event } from '../core/events.ts';
import type { Message } from '../core/messages.ts';

/**
 * The record as Webwright's `trajectory.json` (`trajectory_format: webwright-0.1`): all turns, images omitted. Pure, so that
 * the same log gives the same bytes whenever it is exported.
 */
export function trajectoryOf(events: readonly Event[]): Record<string, unknown> {
  const started = events.find(event => event.type === 'attempt-started');
  const messages = events.flatMap(event => (event.type === 'message' ? [withoutImages(event.message)] : []));
  const calls = events.filter(event => event.type === 'model-called');
  const exit = messages.findLast(message => message.role === 'exit')?.extra;
  return {
    trajectory_format: 'webwright-0.1',
    info: {
      config: { agent: started?.config['agent'] ?? {} },
      exit_status: exit?.['exit_status'] ?? '',
      submission: exit?.['submission'] ?? '',
      api_calls: calls.length,
      format_errors: messages.filter(message => message.extra['interrupt_type'] === 'FormatError').length,
    },
    task: started?.task ?? {},
    model: { config: started?.config['model'] ?? {}, usage: usageOf(calls) },
    environment: started?.environment ?? {},
    messages,
  };
}

function withoutImages(message: Message): Message {
  if (typeof message.content === 'string') return message;
  return {
    ...message,
    content: message.content.map(part =>
      part.type === 'text' ? part : { type: 'text', text: `[image ${part.sha256.slice(0, 12)} omitted]` },
    ),
  };
}

function usageOf(calls: Extract<Event, { type: 'model-called' }>[]): Record<string, Record<string, number>> {
  const roles: Record<string, Record<string, number>> = {};
  for (const { role, usage } of calls) {
    roles[role] ??= { calls: 0 };
    const total = roles[role];
    total['calls'] = (total['calls'] ?? 0) + 1;
    for (const [name, tokens] of Object.entries(usage)) total[name] = (total[name] ?? 0) + tokens;
  }
  return roles;
}
