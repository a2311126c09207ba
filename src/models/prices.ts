import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { WebwrightError } from '../core/errors.ts';
import type { Usage } from '../core/usage.ts';

const dollars = z.number().nonnegative();
const rates = { input: dollars, cachedInput: dollars.optional(), cacheWrite: dollars.optional(), output: dollars };

const priceSchema = z.strictObject({
  ...rates,
  longPrompt: z
    .strictObject({ ...rates, input: dollars.optional(), output: dollars.optional(), aboveInputTokens: z.number().int().positive() })
    .optional(),
});

const pricesSchema = z.strictObject({
  date: z.iso.date(),
  sources: z.array(z.string()).default([]),
  models: z.record(z.string(), priceSchema),
});

/** A dated price table, US dollars per million tokens by model name. */
export type Prices = z.infer<typeof pricesSchema>;
type Price = z.infer<typeof priceSchema>;

/** What a usage costs in US dollars; null when the model's price is not known. */
export type PriceOf = (model: string, usage: Usage) => number | null;

/** Reads a price table. Throws CONFIG_INVALID that names the file and the field. */
export function loadPrices(path: string): Prices {
  const fail = (seen: string) =>
    new WebwrightError({
      code: 'CONFIG_INVALID',
      what: `The price table ${path} cannot be used`,
      seen,
      remedy: 'it needs a date and models: { <name>: { input, output } } in US dollars per million tokens; see config/prices.yaml',
    });
  let value: unknown;
  try {
    // The core schema reads a date as text, which is what it is here.
    value = parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw fail((error as Error).message.split('\n')[0]!);
  }
  const parsed = pricesSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw fail(`${issue?.path.join('.') || 'file'}: ${issue?.message}`);
}

/**
 * The price of a usage by a table.
 *
 * @example
 * priceOf(loadPrices('config/prices.yaml'))('gpt-5.4-2026-03-05', usage); // 0.0315
 */
export function priceOf(prices: Prices): PriceOf {
  return (model, usage) => {
    const price = entryFor({ prices, model });
    return price ? costOf({ price, usage }) : null;
  };
}

/** What may follow a listed name and still be the same model: a date, or a provider's version mark. */
const versionSuffix = /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|latest))?(?:-v\d+(?::\d+)?)?$/;

function entryFor({ prices: { models }, model }: { prices: Prices; model: string }): Price | null {
  // OpenRouter and LiteLLM put the maker's name in front.
  const name = model.replace(/^(?:openai|anthropic)\//, '');
  const matching = Object.keys(models).filter(listed =>
    listed.endsWith('*') ? model.startsWith(listed.slice(0, -1)) : name.startsWith(listed) && versionSuffix.test(name.slice(listed.length)),
  );
  // An exact name beats a pattern, a longer pattern a shorter one.
  matching.sort((a, b) => Number(a.endsWith('*')) - Number(b.endsWith('*')) || b.length - a.length);
  return models[matching[0] ?? ''] ?? null;
}

function costOf({ price, usage }: { price: Price; usage: Usage }): number | null {
  const { inputTokens, cachedInputTokens, cacheWriteTokens, outputTokens } = usage;
  const isLong = price.longPrompt !== undefined && inputTokens > price.longPrompt.aboveInputTokens;
  const { input, output, cachedInput = input, cacheWrite = input } = isLong ? price.longPrompt! : price;
  if (input === undefined || output === undefined) return null;
  const plain = Math.max(0, inputTokens - cachedInputTokens - cacheWriteTokens);
  return (plain * input + cachedInputTokens * cachedInput! + cacheWriteTokens * cacheWrite! + outputTokens * output) / 1_000_000;
}
