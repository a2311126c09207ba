/**
 * The variables of a credentials file: only lines `export NAME=value` count, one pair of matching quotes is removed, nothing is
 * expanded (webwright.md §2.1).
 *
 * @example
 * parseCredentials('export SHOP_USER="mia"\n# a comment'); // { SHOP_USER: 'mia' }
 */
export function parseCredentials(text: string): Record<string, string> {
  const entries = text.split(/\r?\n/).flatMap(line => {
    const match = /^\s*export\s+([A-Za-z_]\w*)=(.*?)\s*$/.exec(line);
    if (!match) return [];
    const value = match[2]!;
    const quoted = /^(["'])(.*)\1$/.exec(value);
    return [[match[1]!, quoted ? quoted[2]! : value] as const];
  });
  return Object.fromEntries(entries);
}
