import type { ExitInfo } from '../core/exit.ts';
import type { Message } from '../core/messages.ts';

/** Control flow of the loop: ends the turn and carries the messages that the conversation gets instead. */
export class Interrupt extends Error {
  override name = 'Interrupt';
  readonly messages: Message[];

  constructor(messages: Message[]) {
    super(messages.map(message => String(message.extra['interrupt_type'] ?? message.role)).join(', '));
    this.messages = messages;
  }
}

/** A message to the model that is no observation. `kind` becomes `extra.interrupt_type`. */
export function interruptMessage(kind: string, content: string, extra: Record<string, unknown> = {}): Message {
  return { role: 'user', content, extra: { interrupt_type: kind, ...extra } };
}

/** The only way out of the loop: the last message of every attempt. */
export function exitMessage(info: ExitInfo): Message {
  return { role: 'exit', content: info.final_response || info.detail || info.exit_status, extra: { ...info } };
}
