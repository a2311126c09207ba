import type { EvidenceItem } from '../core/evidence.ts';
import { type FoundNumber, numbersIn } from './checks/numbers.ts';
import { containsPhrase } from './checks/text-match.ts';

/** One value that the final response states, and where recorded page texts state it. */
export interface AnswerValue {
  /** As the response writes it: `£24.90`, `1,249 reviews`, `"Blue kettle"`. */
  value: string;
  /** Words around it in the response. */
  words: ReadonlySet<string>;
  /** Best first: the same unit, then the most words shared with the response, then the newest. */
  places: { id: string; quote: string; fit: number }[];
}

/** Values looked for in one response. */
const maxValues = 20;
/** Integers below this stand on every page; they count only together with their unit. */
const commonBelow = 100;
/** Characters around a number that say what it is about, and that are quoted. */
const around = { response: 60, page: 80, quote: 40 };
const fillers = new Set(['and', 'or', 'of', 'the', 'in', 'to', 'for', 'at', 'on', 'with', 'is', 'are', 'from', 'by', 'out']);

/**
 * The numbers, codes and quoted names of a final response, each with the evidence whose page text states it. Numbers are compared as numbers
 * (`24.9` is `£24.90`); numbers of a list (`1.`), and small ones without a unit that a page repeats, are left out, because every page
 * would "prove" them.
 *
 * @example
 * answerValues({ finalResponse: 'The blue kettle costs £24.90.', evidence })[0]; // { value: '£24.90', places: [{ id: 'e3', quote: 'Blue kettle £24.90 In stock', … }] }
 */
export function answerValues({
  finalResponse,
  evidence,
}: {
  finalResponse: string;
  evidence: readonly Pick<EvidenceItem, 'id' | 'text'>[];
}): AnswerValue[] {
  const response = finalResponse.normalize('NFKC');
  const pages = evidence.map(({ id, text }) => ({ id, text: text.normalize('NFKC'), numbers: numbersIn(text) }));
  const values = new Map<string, AnswerValue>();
  for (const number of numbersIn(response)) {
    if (isListMark({ text: response, number })) continue;
    const value = withUnit(number);
    const words = wordsIn(response.slice(Math.max(0, number.index - around.response), number.index + number.raw.length + around.response));
    const isCommon = Number.isInteger(number.value) && Math.abs(number.value) < commonBelow && !/[.,]/.test(number.raw);
    const places = pages.flatMap(page => bestPlace({ page, number, words, isCommon }) ?? []);
    if (!isCommon || places.length > 0) keep({ value, words, places });
  }
  for (const name of [...codes(response), ...quotedNames(response)]) {
    const places = pages.flatMap(({ id, text }) => (containsPhrase({ text, phrase: name }) ? [{ id, quote: name, fit: 1 }] : []));
    if (places.length > 0) keep({ value: `"${name}"`, words: wordsIn(name), places });
  }
  return [...values.values()].slice(0, maxValues);

  function keep({ places, ...found }: AnswerValue): void {
    if (values.has(found.value)) return;
    // Pages come in the order of the run; a stable sort of the reverse leaves the newest first among equals.
    values.set(found.value, { ...found, places: places.toReversed().sort((a, b) => b.fit - a.fit) });
  }
}

function bestPlace({
  page,
  number,
  words,
  isCommon,
}: {
  page: { id: string; text: string; numbers: FoundNumber[] };
  number: FoundNumber;
  words: ReadonlySet<string>;
  isCommon: boolean;
}): AnswerValue['places'][number] | null {
  const unit = unitOf(number);
  let best: AnswerValue['places'][number] | null = null;
  for (const found of page.numbers) {
    if (found.value !== number.value) continue;
    const sameUnit = unit !== '' && unitOf(found) === unit;
    if (isCommon && !sameUnit) continue;
    const end = found.index + found.raw.length;
    const near = wordsIn(page.text.slice(Math.max(0, found.index - around.page), end + around.page));
    const fit = [...near].filter(word => words.has(word)).length + (sameUnit ? 2 : 0);
    if (best && best.fit >= fit) continue;
    const quote = page.text.slice(Math.max(0, found.index - around.quote), end + around.quote);
    best = { id: page.id, quote: quote.replace(/\s+/g, ' ').trim(), fit };
  }
  return best;
}

/** `1.` or `2)` at the beginning of a line. */
function isListMark({ text, number: { index, raw } }: { text: string; number: FoundNumber }): boolean {
  return /(?:^|\n)\s*$/.test(text.slice(0, index)) && /^[.)]\s/.test(text.slice(index + raw.length));
}

function withUnit({ raw, before, after }: FoundNumber): string {
  const symbol = /\p{Sc}\s?$/u.exec(before)?.[0] ?? '';
  const unit = symbol ? '' : (/^[ \u00a0-]?(?:\p{Sc}|%|°\p{L}?|\p{L}+)/u.exec(after)?.[0] ?? '');
  return `${symbol}${raw}${fillers.has(unit.trim().toLowerCase()) ? '' : unit}`;
}

/** The currency before a number, or the sign or word after it, in the singular. */
function unitOf({ before, after }: FoundNumber): string {
  const symbol = /(\p{Sc})\s?$/u.exec(before)?.[1] ?? /^\s?(\p{Sc}|%|°\p{L}?)/u.exec(after)?.[1];
  if (symbol) return symbol;
  const word = (/^[ \u00a0-]?(\p{L}+)/u.exec(after)?.[1] ?? '').toLowerCase();
  return fillers.has(word) ? '' : word.replace(/s$/, '');
}

/** True for a requirement whose product is the answer itself. */
export function isAboutAnswer({ requirement }: { requirement: string }): boolean {
  return /\b(?:answers?|(?:final )?response|repl(?:y|ies)|report(?:s|ed)?|tells?)\b/i.test(requirement);
}

/** Words of three letters or more, in lower case, that may say what a value is about. */
export function wordsIn(text: string): Set<string> {
  return new Set((text.toLowerCase().match(/\p{L}{3,}/gu) ?? []).filter(word => !fillers.has(word)));
}

/** Order numbers, article numbers and the like: letters and digits in one word. */
function codes(text: string): string[] {
  return [...new Set(text.match(/(?<![\p{L}\p{N}_/.-])(?=[\p{L}-]*\d)(?=[\d-]*\p{L})[\p{L}\d]+(?:-[\p{L}\d]+)*/gu) ?? [])].filter(
    code => code.length >= 4 && code.length <= 40,
  );
}

/** What stands between double quotation marks and is no key of JSON. */
function quotedNames(text: string): string[] {
  const quoted = [...text.matchAll(/"([^"\n]*)"(\s*:)?|“([^”\n]*)”/g)].flatMap(([, plain, key, curly]) =>
    key ? [] : (plain ?? curly ?? ''),
  );
  return [...new Set(quoted)].filter(name => name.length >= 2 && name.length <= 80 && /\p{L}/u.test(name));
}
