/** One line that was carried out, or that failed. */
export interface TrailEntry {
  step: number;
  /** Where it began. */
  url: string;
  line: string;
  /** What its number stood for. */
  label?: string;
  problem?: string;
}

/**
 * What was done, as people and the coach read it: numbers alone would say nothing once the page is gone.
 *
 * @example
 * Step 2 at http://shop.localhost/
 *   click 3 → link "Kettles"
 *   click 4 → button "Buy": failed: ElementVanished …
 */
export function trailText(entries: readonly TrailEntry[]): string {
  const lines: string[] = [];
  let step = -1;
  for (const entry of entries) {
    if (entry.step !== step) lines.push(`Step ${entry.step} at ${entry.url}`);
    step = entry.step;
    lines.push(`  ${entry.line}${entry.label ? ` → ${entry.label}` : ''}${entry.problem ? `: failed: ${entry.problem}` : ''}`);
  }
  return lines.join('\n');
}
