/** Output of an action up to this many characters stays in the conversation; longer output is left out once it is old, and can be read again. */
const keptOutputChars = 1_500;

/** The bulky texts of an observation, which the view leaves out once it is old: what the environment names, and long output. */
export function prunableOf({ prunable = [], output = '' }: { prunable?: unknown; output?: unknown }): string[] {
  const named = prunable as string[];
  return typeof output === 'string' && output.length > keptOutputChars ? [output, ...named] : named;
}
