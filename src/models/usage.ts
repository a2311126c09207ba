import type { Usage } from '../core/usage.ts';
import { type Turn, textOfTurn } from './conversation.ts';
import type { ReportedUsage } from './wire.ts';

/** An image never costs more at its useful size: 1536 patches at the highest factor of OpenAI's small models (1.62); Claude stays below 1600. */
const tokensOfImage = 2_500;

/** Tokens of a text, on the high side: English has about 4 bytes a token, code 3, Chinese 3. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3);
}

/** Input tokens of a request, on the high side. */
export function estimateInput(turns: readonly Turn[]): number {
  return turns.reduce(
    (sum, turn) => sum + 4 + estimateTokens(textOfTurn(turn)) + tokensOfImage * turn.parts.filter(part => part.type === 'image').length,
    0,
  );
}

/**
 * Usage to count by: reported numbers where they are believable, estimates on the high side where they are missing, negative or 0.
 * Parts never exceed their whole.
 */
export function countedUsage({ reported, turns, text }: { reported: ReportedUsage; turns: readonly Turn[]; text: string }): {
  usage: Usage;
  estimated: boolean;
} {
  // No request is free of input, and no text of output.
  const inputTokens = believable(reported.inputTokens) || undefined;
  const reportedOutput = believable(reported.outputTokens);
  const outputTokens = reportedOutput === 0 && text !== '' ? undefined : reportedOutput;
  const input = inputTokens ?? estimateInput(turns);
  const output = outputTokens ?? Math.max(estimateTokens(text), believable(reported.reasoningTokens) ?? 0);
  const cached = Math.min(believable(reported.cachedInputTokens) ?? 0, input);
  return {
    usage: {
      inputTokens: input,
      cachedInputTokens: cached,
      cacheWriteTokens: Math.min(believable(reported.cacheWriteTokens) ?? 0, input - cached),
      outputTokens: output,
      reasoningTokens: Math.min(believable(reported.reasoningTokens) ?? 0, output),
    },
    estimated: inputTokens === undefined || outputTokens === undefined,
  };
}

function believable(value: number | null | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? Math.ceil(value) : undefined;
}
