/** A top-level `{…}` found in text. */
export interface JsonCandidate {
  text: string;
  /** Parsed value, or absent when the text between the braces is not strict JSON. */
  value?: Record<string, unknown>;
  /** Why it was refused: a parse error, or a key that occurs twice. */
  error?: string;
}

/**
 * Finds balanced top-level JSON objects in a reply that may hold prose, fences or a BOM around them. String-aware and linear
 * in the length of the text. Nothing is repaired: what is not strict JSON is reported, never guessed.
 *
 * @example
 * findJsonObjects('Sure: {"a":1} done').objects[0]?.value; // { a: 1 }
 */
export function findJsonObjects(text: string): { objects: JsonCandidate[]; unterminated: boolean } {
  const objects: JsonCandidate[] = [];
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf('{', at);
    if (start < 0) break;
    const end = endOfObject(text, start);
    if (end < 0) return { objects, unterminated: true };
    objects.push(parseCandidate(text.slice(start, end)));
    at = end;
  }
  return { objects, unterminated: false };
}

/** Index after the brace that closes the one at `start`, or -1. */
function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let i = start; i < text.length; i += 1) {
    const char = text[i];
    if (inString) {
      if (char === '\\') i += 1;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return -1;
}

function parseCandidate(text: string): JsonCandidate {
  try {
    const value = JSON.parse(text) as Record<string, unknown>;
    const key = duplicateKey(text);
    return key === undefined ? { text, value } : { text, error: `the key "${key}" occurs twice` };
  } catch (error) {
    return { text, error: (error as Error).message };
  }
}

/** `JSON.parse` silently keeps the last of two equal keys; a reply with both is ambiguous. Expects valid JSON. */
function duplicateKey(text: string): string | undefined {
  const scopes: (Set<string> | null)[] = [];
  const token = /"(?:[^"\\]|\\.)*"|[{}[\]]/g;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [found] = match;
    if (found === '{') scopes.push(new Set());
    else if (found === '[') scopes.push(null);
    else if (found === '}' || found === ']') scopes.pop();
    else if (/^\s*:/.test(text.slice(token.lastIndex, token.lastIndex + 64))) {
      const scope = scopes.at(-1);
      const key = JSON.parse(found) as string;
      if (scope?.has(key)) return key;
      scope?.add(key);
    }
  }
  return undefined;
}
