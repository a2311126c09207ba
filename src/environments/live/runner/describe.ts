import { inspect, stripVTControlCharacters } from 'node:util';

const maxValueChars = 4_000;
const maxErrorChars = 4_000;

/**
 * A returned value as text of at most 4,000 characters: strings as they are, everything else as Node prints it (cycles,
 * BigInt, functions and errors included). Getters are not run; Playwright's objects are named, not unfolded.
 */
export function describeValue(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return cut(typeof value === 'string' ? value : printed(value), maxValueChars);
}

function printed(value: unknown): string {
  try {
    const name = playwrightName(value);
    if (name) return name;
    return inspect(value, { depth: 4, maxArrayLength: 200, maxStringLength: 2_000, breakLength: 120, compact: 3 });
  } catch (error) {
    return `(a value that cannot be printed: ${error instanceof Error ? error.message : 'it throws'})`;
  }
}

function playwrightName(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if ('_selector' in value && '_frame' in value) return String(value);
  if ('_guid' in value && '_connection' in value) return `[${value.constructor?.name ?? 'Playwright object'}]`;
  return undefined;
}

/**
 * An error as the model should see it: message, the end of Playwright's call log, and the line of its own code.
 * Anything can be thrown, also a string or an object from the page.
 */
export function describeError({ error, file, source }: { error: unknown; file: string; source: string[] }): string {
  if (!(error instanceof Error) && !isErrorLike(error)) return cut(`Thrown: ${describeValue(error) ?? 'undefined'}`, maxErrorChars);
  const { name = 'Error', message = '', stack = '' } = error as Error;
  const head = cut(shortCallLog(stripVTControlCharacters(message)), maxErrorChars);
  const frames = [...stack.matchAll(new RegExp(`${file.replace('.', '\\.')}:(\\d+):(\\d+)`, 'g'))].slice(0, 3);
  const places = frames.map(
    ([, line, column]) => `    at line ${line}, column ${column}: ${(source[Number(line) - 1] ?? '').trim().slice(0, 200)}`,
  );
  const cause = (error as Error).cause;
  return [
    head.startsWith(name) ? head : `${name}: ${head}`,
    ...places,
    ...(cause ? [`  cause: ${cut(describeValue(cause) ?? '', 500)}`] : []),
  ].join('\n');
}

function isErrorLike(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'message' in value && 'stack' in value;
}

/** Playwright's call log can be long; its last five lines say what it was waiting for. */
function shortCallLog(message: string): string {
  const [head = '', log] = message.split('\nCall log:\n');
  if (log === undefined) return message;
  const lines = log.trimEnd().split('\n');
  return `${head.trimEnd()}\nCall log:\n${lines.length > 5 ? '  …\n' : ''}${lines.slice(-5).join('\n')}`;
}

function cut(text: string, chars: number): string {
  const whole = text.toWellFormed();
  return whole.length <= chars
    ? whole
    : `${whole.slice(0, chars - 60).toWellFormed()}\n… ${whole.length - chars + 60} more characters cut …`;
}
