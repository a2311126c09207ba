import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Event } from '../core/events.ts';
import { textOf } from '../core/messages.ts';
import { writeJson } from './run-folder.ts';

/** One turn as a file for people: numbers equal the step's number everywhere, refused and malformed turns included. */
export function debugStepOf({ events, step }: { events: readonly Event[]; step: number }): Record<string, unknown> {
  const own = events.filter(event => 'step' in event && event.step === step);
  const messages = own.flatMap(event => (event.type === 'message' ? [event.message] : []));
  const reply = messages.find(message => message.role === 'assistant');
  const observation = messages.find(message => message.extra['observation'] !== undefined);
  const interrupts = messages.filter(message => message.extra['interrupt_type'] !== undefined);
  return {
    step,
    reply: reply ? parseOrText(textOf(reply)) : null,
    observation: observation?.extra['observation'] ?? null,
    interrupts: interrupts.map(message => ({ type: message.extra['interrupt_type'], text: textOf(message) })),
    exit: messages.find(message => message.role === 'exit')?.extra ?? null,
    calls: own.flatMap(event =>
      event.type === 'model-called' ? [{ role: event.role, key: event.key, usage: event.usage, costUsd: event.costUsd }] : [],
    ),
  };
}

/** Writes `debug/steps/step_NNNN.json` and appends the turn to `debug/steps.md`. */
export function writeDebugStep({ folder, events, step }: { folder: string; events: readonly Event[]; step: number }): void {
  const data = debugStepOf({ events, step });
  mkdirSync(join(folder, 'steps'), { recursive: true });
  writeJson(join(folder, 'steps', `step_${String(step).padStart(4, '0')}.json`), data);
  appendFileSync(join(folder, 'steps.md'), `## Step ${step}\n\n\`\`\`json\n${JSON.stringify(data, null, 2)}\n\`\`\`\n\n`);
}

function parseOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
