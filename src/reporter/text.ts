import type { Rate, Summary } from './summary.ts';

/**
 * Text from a page or a model as one harmless line: no control characters (a terminal would obey them), no direction overrides
 * (they make text read as something else), no lone surrogates.
 */
export function oneLine(text: string): string {
  return text
    .toWellFormed()
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/g, '')
    .trim();
}

/** Cut to `max` characters, the last one an ellipsis. */
export function shorten({ text, max }: { text: string; max: number }): string {
  const characters = [...text];
  return characters.length <= max ? text : `${characters.slice(0, max - 1).join('')}…`;
}

export const percent = (share: number) => `${Math.round(share * 100)} %`;

/** `3 of 4 passed: 75 % (95 % interval 30–95 %)`. */
export function rateText(rate: Rate): string {
  return rate.planned === 0 ? '0 of 0 passed' : `${rate.passed} of ${rate.planned} passed: ${percent(rate.share)} (${intervalText(rate)})`;
}

export const intervalText = ({ interval }: Rate) => `95 % interval ${Math.round(interval.low * 100)}–${percent(interval.high)}`;

/** Tokens with thousands separators. */
export const tokensText = (tokens: number) => tokens.toLocaleString('en-US');

/** Dollars, to a tenth of a cent while they are few; `unknown` is never shown as 0. */
export const costText = (costUsd: number | null) =>
  costUsd === null ? 'unknown' : `$${costUsd.toFixed(costUsd > 0 && costUsd < 1 ? 4 : 2)}`;

/** Cost of a summary, with what it leaves out. */
export function totalCostText({ costUsd, unpriced }: Summary): string {
  return unpriced === 0
    ? costText(costUsd)
    : `${costText(costUsd)} and ${unpriced} ${unpriced === 1 ? 'attempt' : 'attempts'} of unknown price`;
}

/** Seconds or minutes. */
export const durationText = (durationMs: number) =>
  durationMs < 60_000 ? `${(durationMs / 1000).toFixed(1)} s` : `${(durationMs / 60_000).toFixed(1)} min`;

/** `passed 3 · failed 1`. */
export const outcomesText = ({ outcomes }: Summary) =>
  Object.entries(outcomes)
    .map(([outcome, count]) => `${outcome} ${count}`)
    .join(' · ');
