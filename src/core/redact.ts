/** Replaces known secrets in text. Pure and synchronous; the same function serves prompts, events, reports and errors. */
export type Redact = (text: string) => string;

/** A value that must not leave the machine in clear, and the name that stands in its place: `[redacted:NAME]`. */
export interface Secret {
  name: string;
  value: string;
}

/** Values shorter than this many characters are not looked for: they would blank out ordinary words. */
export const minSecretLength = 6;

interface Needle {
  text: string;
  name: string;
}

interface Span {
  start: number;
  end: number;
  needle: Needle;
}

/**
 * A function that replaces every secret by `[redacted:NAME]`, as it stands and URL-encoded, JSON-escaped, HTML-escaped,
 * in hex, reversed, and in base64 and base64url at all three alignments. Where hits overlap, their union is replaced
 * and the longest one names it. JSON stays parseable. This is hygiene, not a wall: a value that is spaced out, split or
 * compressed gets through, so secrets must not reach a sandbox in the first place.
 *
 * @example
 * createRedactor({ secrets: [{ name: 'OPENAI_API_KEY', value: 'sk-12345678' }] })('Bearer sk-12345678'); // 'Bearer [redacted:OPENAI_API_KEY]'
 */
export function createRedactor({ secrets }: { secrets: readonly Secret[] }): Redact {
  const needles = needlesOf(secrets);
  if (needles.length === 0) return text => text;
  return text => render({ text, spans: spansIn({ text, needles }).map(span => widenedForJson({ text, span })) });
}

/** Redacts text that arrives in pieces: what `write` and `end` return, joined, equals the redaction of the whole. */
export interface StreamRedactor {
  /** The part of what has arrived so far that can no longer belong to a secret. */
  write(chunk: string): string;
  /** The rest. */
  end(): string;
}

/**
 * {@link createRedactor} for the output of a process: a secret split across chunks is found, because one character
 * less than the longest encoding is held back. Made for plain text: it takes no care of JSON escapes.
 *
 * @example
 * const stream = createStreamRedactor({ secrets });
 * child.stdout.on('data', chunk => log(stream.write(chunk)));
 */
export function createStreamRedactor({ secrets }: { secrets: readonly Secret[] }): StreamRedactor {
  const needles = needlesOf(secrets);
  const held = Math.max(1, ...needles.map(({ text }) => text.length)) - 1;
  let pending = '';
  return {
    write(chunk) {
      pending += chunk;
      const spans = spansIn({ text: pending, needles });
      let cut = Math.max(0, pending.length - held);
      const straddling = spans.find(({ start, end }) => start < cut && cut < end);
      if (straddling) cut = straddling.start;
      const ready = render({ text: pending.slice(0, cut), spans: spans.filter(({ end }) => end <= cut) });
      pending = pending.slice(cut);
      return ready;
    },
    end() {
      const rest = render({ text: pending, spans: spansIn({ text: pending, needles }) });
      pending = '';
      return rest;
    },
  };
}

const secretName = /(?:^|_)(?:API|ACCESS|PRIVATE)?_?KEY$|(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS)$/i;

/**
 * The values of an environment that look like secrets by their variable's name (`…_KEY`, `…_TOKEN`, `…SECRET`,
 * `…PASSWORD`), and passwords inside URLs of any variable (`https://user:password@proxy`).
 *
 * @example
 * secretsFromEnv({ OPENAI_API_KEY: 'sk-12345678', HOME: '/root' }); // [{ name: 'OPENAI_API_KEY', value: 'sk-12345678' }]
 */
export function secretsFromEnv(env: Record<string, string | undefined>): Secret[] {
  return Object.entries(env).flatMap(([name, value = '']) => {
    const password = /^[a-z][a-z0-9+.-]*:\/\/[^/\s:@]*:([^/\s@]+)@/i.exec(value)?.[1];
    if (password) return [{ name, value: password }];
    return secretName.test(name) && value.trim().length >= minSecretLength ? [{ name, value: value.trim() }] : [];
  });
}

/** Every encoding of every secret, longest first, no text twice. */
function needlesOf(secrets: readonly Secret[]): Needle[] {
  const byText = new Map<string, Needle>();
  for (const { name, value } of secrets) {
    if (value.length < minSecretLength) continue;
    // The name stands inside JSON, YAML, HTML and URLs.
    const safeName = name.replace(/[^\w.-]/g, '_');
    for (const text of encodingsOf(value.toWellFormed())) if (!byText.has(text)) byText.set(text, { text, name: safeName });
  }
  return [...byText.values()].sort((a, b) => b.text.length - a.text.length);
}

function encodingsOf(value: string): string[] {
  const json = JSON.stringify(value).slice(1, -1);
  const hex = Buffer.from(value).toString('hex');
  const urls = [encodeURIComponent(value), encodeURI(value), new URLSearchParams([['', value]]).toString().slice(1)];
  return [
    value,
    ...urls,
    ...urls.map(url => url.replace(/%[0-9A-F]{2}/g, hit => hit.toLowerCase())),
    json,
    json.replaceAll('/', '\\/'),
    // A reply stored in an event is JSON within JSON.
    JSON.stringify(json).slice(1, -1),
    ...htmlEscapesOf(value),
    hex,
    hex.toUpperCase(),
    [...value].reverse().join(''),
    ...[0, 1, 2].flatMap(offset => {
      const base64 = base64At({ value, offset });
      return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
    }),
  ];
}

function htmlEscapesOf(value: string): string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const apostrophes = ["'", '&#39;', '&#x27;', '&apos;'];
  return ['"', '&quot;', '&#34;'].flatMap(quote => apostrophes.map(mark => text.replaceAll('"', quote).replaceAll("'", mark)));
}

/** The base64 characters that depend on nothing but the value when `offset` bytes of something else stand before it. */
function base64At({ value, offset }: { value: string; offset: number }): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)]);
  const start = [0, 2, 3][offset]!;
  return bytes.toString('base64').slice(start, Math.floor((bytes.length * 8) / 6));
}

/** Where the needles stand in the text: disjoint, in order. */
function spansIn({ text, needles }: { text: string; needles: Needle[] }): Span[] {
  const hits: Span[] = [];
  for (const needle of needles) {
    const { length } = needle.text;
    for (let start = text.indexOf(needle.text); start >= 0; start = text.indexOf(needle.text, start + length)) {
      hits.push({ start, end: start + length, needle });
    }
  }
  hits.sort((a, b) => a.start - b.start);
  const spans: Span[] = [];
  for (const hit of hits) {
    const last = spans.at(-1);
    if (!last || hit.start >= last.end) {
      spans.push({ ...hit });
      continue;
    }
    last.end = Math.max(last.end, hit.end);
    if (hit.needle.text.length > last.needle.text.length) last.needle = hit.needle;
  }
  return spans;
}

/** In JSON a hit may begin inside an escape (`\n` + `secret…` for a value `nsecret…`) or end inside one; the whole escape goes. */
function widenedForJson({ text, span }: { text: string; span: Span }): Span {
  let { start, end } = span;
  const before = /\\+(?:u[0-9a-fA-F]{0,3})?$/.exec(text.slice(Math.max(0, start - 64), start))?.[0];
  if (before) {
    const slashes = before.lastIndexOf('\\') + 1;
    if (slashes % 2 === 1) start -= before.length - slashes + 1;
  }
  const trailing = /\\+$/.exec(text.slice(Math.max(start, end - 64), end))?.[0].length ?? 0;
  if (trailing % 2 === 1 && end < text.length) end += 1;
  return { ...span, start, end };
}

function render({ text, spans }: { text: string; spans: Span[] }): string {
  let result = '';
  let from = 0;
  for (const { start, end, needle } of spans) {
    result += `${text.slice(from, Math.max(from, start))}[redacted:${needle.name}]`;
    from = Math.max(from, end);
  }
  return result + text.slice(from);
}
