/** Output and return value of an action up to this many characters stays in the conversation; longer output is left out once it is old, and can be read again. */
const keptOutputChars = 1_500;

/** The bulky texts of an observation, which the view leaves out once it is old: what the environment names, and long output. */
export function prunableOf({ prunable = [], output, returned }: { prunable?: unknown; output?: unknown; returned?: unknown }): string[] {
  const long = [output, returned].filter(text => typeof text === 'string' && text.length > keptOutputChars) as string[];
  return [...long, ...(prunable as string[])];
}
