/** A share with its bounds, all from 0 to 1. */
export interface Interval {
  low: number;
  high: number;
}

/**
 * The Wilson 95 % interval of `successes` out of `total`. It stays inside 0–1 and is honest at small numbers, where the normal interval claims
 * certainty (8 of 8 is 68–100 %, not 100–100 %). `successes` may be a fraction: repeats of one task are not independent, so a caller sums each
 * task's mean and passes the number of tasks. Of nothing, everything is possible: 0–1.
 *
 * @example
 * wilson({ successes: 14, total: 20 }); // { low: 0.481, high: 0.855 }
 */
export function wilson({ successes, total }: { successes: number; total: number }): Interval {
  if (total === 0) return { low: 0, high: 1 };
  const z = 1.959964;
  const share = successes / total;
  const spread = z * Math.sqrt((share * (1 - share)) / total + (z * z) / (4 * total * total));
  const centre = share + (z * z) / (2 * total);
  const scale = 1 + (z * z) / total;
  return { low: Math.max(0, (centre - spread) / scale), high: Math.min(1, (centre + spread) / scale) };
}
