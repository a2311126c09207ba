import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { WebwrightError } from '../core/errors.ts';
import type { Event, EventBody } from '../core/events.ts';
import { sha256Of } from './sha256.ts';

/** The end of a chain of events: whoever keeps it elsewhere can tell later whether the record is still the one that was sealed. */
export interface RecordSeal {
  /** Lines of `events.jsonl`. */
  events: number;
  /** sha256 of the last one, which holds that of the one before it, and so on to the first. */
  head: string;
}

/** What the first line of a log follows. */
export const nothingBefore = '0'.repeat(64);

/**
 * The record of one attempt: an append-only JSONL file in which each line holds the digest of the one before it. Each event is
 * written before anything else happens, so a process killed at any byte loses at most the line it was writing. When the disk
 * does not take a line, nothing more is written, and every further call throws the same {@link WebwrightError} (`RECORD`).
 */
export class EventLog {
  readonly #fd: number;
  readonly #path: string;
  readonly #now: () => Date;
  readonly #redact: (text: string) => string;
  readonly #events: Event[] = [];
  #head = nothingBefore;
  #failure: WebwrightError | undefined;

  constructor({ path, now, redact = text => text }: { path: string; now: () => Date; redact?: (text: string) => string }) {
    this.#fd = openSync(path, 'ax');
    this.#path = path;
    this.#now = now;
    this.#redact = redact;
  }

  /** All events so far, in order. */
  get events(): readonly Event[] {
    return this.#events;
  }

  /** The end of the chain as it is now. */
  get seal(): RecordSeal {
    return { events: this.#events.length, head: this.#head };
  }

  append(body: EventBody): Event {
    if (this.#failure) throw this.#failure;
    const line = this.#redact(JSON.stringify({ seq: this.#events.length, time: this.#now().toISOString(), prev: this.#head, ...body }));
    this.#write(`${line}\n`);
    this.#head = sha256Of(line);
    const event = JSON.parse(line) as Event;
    this.#events.push(event);
    return event;
  }

  /** Part of the record could not be kept (evidence, for instance): from now on nothing is recorded, and the attempt ends. */
  fail({ error, path }: { error: unknown; path: string }): WebwrightError {
    this.#failure ??= new WebwrightError({
      code: 'RECORD',
      what: `The record of the attempt cannot be written: ${(error as Error).message}`,
      seen: path,
      remedy: 'make room, or let run.output_dir name a folder that can be written',
    });
    return this.#failure;
  }

  close(): void {
    closeSync(this.#fd);
  }

  #write(text: string): void {
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length; ) at += writeSync(this.#fd, bytes, at);
    } catch (error) {
      throw this.fail({ error, path: this.#path });
    }
  }
}

/** The whole lines of an event log. A last line that was cut off is ignored; a broken line elsewhere is an error. */
export function readEvents(path: string): Event[] {
  const lines = readFileSync(path, 'utf8').split('\n');
  lines.pop();
  return lines.map(line => JSON.parse(line) as Event);
}
