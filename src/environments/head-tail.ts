import { StringDecoder } from 'node:string_decoder';

/** Collects output of any length in bounded memory: the beginning and the end are kept, the middle is counted. */
export interface HeadTail {
  push(chunk: Buffer | string): void;
  /** Bytes pushed so far. */
  readonly bytes: number;
  /** What was kept, with a marker where the middle was cut. */
  text(): string;
}

/**
 * A {@link HeadTail} that keeps `chars` characters, half from each end (reliability: 8 KB head, 8 KB tail).
 *
 * @example
 * const kept = createHeadTail({ chars: 4 }); kept.push('abcdefgh'); kept.text(); // 'ab\n… 4 characters cut …\ngh'
 */
export function createHeadTail({ chars }: { chars: number }): HeadTail {
  const half = Math.floor(chars / 2);
  const decoder = new StringDecoder('utf8');
  let head = '';
  let tail = '';
  let cut = 0;
  let bytes = 0;

  const keep = (text: string) => {
    const room = half - head.length;
    if (room > 0) head += text.slice(0, room);
    tail += room > 0 ? text.slice(room) : text;
    if (tail.length > half) {
      cut += tail.length - half;
      tail = tail.slice(-half);
    }
  };

  return {
    push(chunk) {
      bytes += Buffer.byteLength(chunk);
      keep(typeof chunk === 'string' ? chunk : decoder.write(chunk));
    },
    get bytes() {
      return bytes;
    },
    text() {
      keep(decoder.end());
      return (cut > 0 ? `${head}\n… ${cut} characters cut …\n${tail}` : head + tail).toWellFormed();
    },
  };
}
