import { cpus } from 'node:os';

/**
 * Ends a bench: prints its table, or with `--json` one object `{bench, metrics, targets, ok, env}`, and exits 1 when a target is missed.
 *
 * @param targets by metric: `{ max }`
 */
export function report({ bench, metrics, targets, lines }) {
  const missed = Object.entries(targets).filter(([name, { max }]) => !(metrics[name] <= max));
  const ok = missed.length === 0;
  if (process.argv.includes('--json')) {
    const env = { node: process.version, platform: process.platform, cpus: cpus().length };
    console.log(JSON.stringify({ bench, metrics, targets, ok, env }));
  } else {
    for (const line of lines) console.log(line);
    for (const [name, { max }] of Object.entries(targets))
      console.log(`${metrics[name] <= max ? 'met   ' : 'MISSED'} ${name} ${metrics[name]} <= ${max}`);
  }
  process.exitCode = ok ? 0 : 1;
}

/** The middle of some numbers. */
export function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
}
