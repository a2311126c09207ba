import { parseWholeJson, withoutCodeFence } from './parse-json.ts';

export interface ParsedScore {
  /** 1–5. */
  score: number;
  reasoning: string;
}

/** `Score` behind list marks, headings or bold, perhaps with its range in brackets; then a colon and a value, or nothing: the value is on the next line. */
const scoreLine =
  /^[\s#>*_"'“\-–]*(?:\d+[.)]\s*)?[*_"'“\s]*score\b["'”*_\s]*(?:\([^)]*\)|\[[^\]]*\])?["'”*_\s]*(?:[:：=]["'”*_\s]*(.*)|)$/iu;
/** The same at the end of a sentence that closes the reply. */
const closingScore = /[.!?;)\]”"]\s+[*_"'“\s]*score["'”*_\s]*[:：]\s*(.{1,12})$/iu;
const reasoningMark = /\breasoning\b["'”*_ \t]*[:：\-–]["'”*_ \t]*|^[\s#*_]*reasoning[*_ \t]*$/imu;

/**
 * A stage-1 reply: the number on its last `Score:` line. Markdown, quotes, full-width colons, `(1-5)` before and `/5` after the
 * number, and the number on a line of its own are tolerated; a missing, broken (`3.5`, `4-5`, `10`) or out-of-range score is null,
 * never a guess. Recorded judges wrote all of these (reference: benchmarks.md §3.4, webwright.md §5.3).
 *
 * @example
 * parseScore('**Reasoning**: The filter is on.\n**Score (1-5)**: 4'); // { score: 4, reasoning: 'The filter is on.' }
 */
export function parseScore(reply: string): ParsedScore | null {
  const json = parseWholeJson(reply);
  if (json) return fromJson(json);
  const lines = withoutCodeFence(reply).split(/\r?\n/);
  const found = lines.flatMap((line, index) => {
    const match = scoreLine.exec(line.slice(0, 300));
    if (!match) return [];
    return [{ index, value: match[1] || (lines.slice(index + 1).find(next => next.trim() !== '') ?? ''), rest: '' }];
  });
  const lastLine = lines.findLastIndex(line => line.trim() !== '');
  const closing = closingScore.exec(lines[lastLine]?.trimEnd() ?? '');
  if (closing) found.push({ index: lastLine, value: closing[1]!, rest: lines[lastLine]!.slice(0, closing.index + 1) });
  const last = found.at(-1);
  const score = last && scoreOf(last.value);
  if (!last || !score) return null;
  return { score, reasoning: reasoningOf([...lines.slice(0, last.index), last.rest].join('\n')) };
}

function fromJson(json: Record<string, unknown>): ParsedScore | null {
  const field = (name: string) => Object.entries(json).find(([key]) => key.toLowerCase() === name)?.[1];
  const raw = field('score');
  const score = typeof raw === 'number' ? inRange(raw) : typeof raw === 'string' ? scoreOf(raw) : null;
  const reasoning = field('reasoning');
  if (!score || typeof reasoning !== 'string' || reasoning.trim() === '') return null;
  return { score, reasoning: reasoning.trim() };
}

function scoreOf(value: string): number | null {
  const match = /^["'“”*_`[(\s]*([0-9]+(?:\.0+)?)["'“”*_`\])\s]*(?:(?:\/|out of)\s*5\b)?(.*)$/u.exec(value.trim());
  if (!match) return null;
  // "4-5", "3 or 4", "3.5", "4/10", "1,5": more than one number, or not a number of this scale.
  if (/^\s*[-–—.,/]\s*\d|^\d|^\s*(?:or|to)\b\s*\d|^\s*%/u.test(match[2]!)) return null;
  return inRange(Number(match[1]));
}

function inRange(score: number): number | null {
  return Number.isInteger(score) && score >= 1 && score <= 5 ? score : null;
}

function reasoningOf(text: string): string {
  const start = reasoningMark.exec(text);
  return (start ? text.slice(start.index + start[0].length) : text)
    .replace(/\s+/g, ' ')
    .replace(/[*_#\s]+$/u, '')
    .trim();
}
