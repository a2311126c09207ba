import { cpus } from 'node:os';

/**
 * Ends a bench: prints its table, or with `--json` one object `{bench, metrics, targets, ok, env}`, and exits 1 when a target is missed.
 *
 * @param targets by metric: `{ max }` or `{ min }`
 */
export function report({ bench, metrics, targets, lines }) {
  const isMet = ([name, { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY }]) =>
    metrics[name] <= max && metrics[name] >= min;
  const ok = Object.entries(targets).every(isMet);
  if (process.argv.includes('--json')) {
    const env = { node: process.version, platform: process.platform, cpus: cpus().length };
    console.log(JSON.stringify({ bench, metrics, targets, ok, env }));
  } else {
    for (const line of lines) console.log(line);
    for (const target of Object.entries(targets)) {
      const [name, { max, min }] = target;
      console.log(`${isMet(target) ? 'met   ' : 'MISSED'} ${name} ${metrics[name]} ${max === undefined ? `>= ${min}` : `<= ${max}`}`);
    }
  }
  process.exitCode = ok ? 0 : 1;
}

/** The middle of some numbers. */
export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
