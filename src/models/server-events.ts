import { badReply } from './call-fault.ts';

/** One server-sent event: its name (empty when it has none) and its data, unparsed. */
export interface ServerEvent {
  event: string;
  data: string;
}

/** The text of a body, chunk by chunk. Bytes that are not UTF-8 are a fault: replaced, they could change what code does. */
export async function* textChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (chunk?: Uint8Array) => {
    try {
      return chunk ? decoder.decode(chunk, { stream: true }) : decoder.decode();
    } catch {
      throw badReply('the reply is not valid UTF-8');
    }
  };
  // Not cancelled when the reader stops early: the connection is kept if the rest of the body follows soon.
  for await (const chunk of body.values({ preventCancel: true })) yield decode(chunk);
  yield decode();
}

/**
 * Server-sent events of a body, as the WHATWG standard parses them (fields `event` and `data`; comments and others are ignored).
 * An event that the end of the body cuts off is not delivered.
 */
export async function* serverEvents(chunks: AsyncIterable<string>): AsyncGenerator<ServerEvent> {
  let event = '';
  let data: string[] = [];
  for await (const line of lines(chunks)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') };
      event = '';
      data = [];
    } else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5));
    else if (line.startsWith('event:')) event = line.slice(6).trim();
  }
}

async function* lines(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest: string[] = [];
  let afterCr = false;
  for await (const chunk of chunks) {
    // A CR LF that two chunks share is one line end.
    let start = afterCr && chunk[0] === '\n' ? 1 : 0;
    if (chunk !== '') afterCr = chunk.endsWith('\r');
    for (const match of chunk.matchAll(/\r\n|\r|\n/g)) {
      if (match.index < start) continue;
      yield rest.join('') + chunk.slice(start, match.index);
      rest = [];
      start = match.index + match[0].length;
    }
    if (start < chunk.length) rest.push(chunk.slice(start));
  }
}
