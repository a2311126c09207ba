import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import type { Event, EventBody } from '../core/events.ts';

/**
 * The record of one attempt: an append-only JSONL file. Each event is written with one `write` call before anything
 * else happens, so a process killed at any byte loses at most the line it was writing.
 */
export class EventLog {
  readonly #fd: number;
  readonly #now: () => Date;
  readonly #redact: (text: string) => string;
  readonly #events: Event[] = [];

  constructor({ path, now, redact = text => text }: { path: string; now: () => Date; redact?: (text: string) => string }) {
    this.#fd = openSync(path, 'ax');
    this.#now = now;
    this.#redact = redact;
  }

  /** All events so far, in order. */
  get events(): readonly Event[] {
    return this.#events;
  }

  append(body: EventBody): Event {
    const line = this.#redact(JSON.stringify({ seq: this.#events.length, time: this.#now().toISOString(), ...body }));
    writeSync(this.#fd, `${line}\n`);
    const event = JSON.parse(line) as Event;
    this.#events.push(event);
    return event;
  }

  close(): void {
    closeSync(this.#fd);
  }
}

/** The whole lines of an event log. A last line that was cut off is ignored; a broken line elsewhere is an error. */
export function readEvents(path: string): Event[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines.map(line => JSON.parse(line) as Event);
}
