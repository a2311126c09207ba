import type { Confusion } from './confusion.ts';
import type { Interval } from './wilson.ts';

/** Cohen's kappa with its 95 % interval; `value` is null where it is not defined. */
export interface Kappa extends Interval {
  value: number | null;
}

/**
 * Cohen's kappa of two labels: agreement beyond what chance would give. Not defined when both only ever said the same single label.
 * The interval is the asymptotic one (Fleiss, Cohen and Everitt 1969) of the table with half a pair added to each cell: eight of eight is then
 * 0.43–1, where the formula itself would claim certainty.
 *
 * @example
 * cohensKappa({ truePositives: 210, falseNegatives: 85, falsePositives: 75, trueNegatives: 736 }); // { value: 0.626, low: 0.57, high: 0.68 }
 */
export function cohensKappa(confusion: Confusion): Kappa {
  const raw = tableOf({ confusion, added: 0 });
  if (raw === null || raw.chance === 1) return { value: null, low: -1, high: 1 };
  const value = kappaOf(raw);
  const smoothed = tableOf({ confusion, added: 0.5 })!;
  const spread = 1.959964 * standardError(smoothed);
  const centre = kappaOf(smoothed);
  return { value, low: Math.max(-1, Math.min(value, centre - spread)), high: Math.min(1, Math.max(value, centre + spread)) };
}

/** Shares of a 2×2 table: `cells[i][j]` is truth i, judged j. */
interface Table {
  total: number;
  cells: [[number, number], [number, number]];
  rows: [number, number];
  columns: [number, number];
  observed: number;
  chance: number;
}

function tableOf({ confusion, added }: { confusion: Confusion; added: number }): Table | null {
  const { truePositives, falseNegatives, falsePositives, trueNegatives } = confusion;
  const total = truePositives + falseNegatives + falsePositives + trueNegatives + 4 * added;
  if (total === 4 * added) return null;
  const share = (count: number) => (count + added) / total;
  const cells: Table['cells'] = [
    [share(trueNegatives), share(falsePositives)],
    [share(falseNegatives), share(truePositives)],
  ];
  const rows: Table['rows'] = [cells[0][0] + cells[0][1], cells[1][0] + cells[1][1]];
  const columns: Table['columns'] = [cells[0][0] + cells[1][0], cells[0][1] + cells[1][1]];
  return { total, cells, rows, columns, observed: cells[0][0] + cells[1][1], chance: rows[0] * columns[0] + rows[1] * columns[1] };
}

const kappaOf = ({ observed, chance }: Table) => (observed - chance) / (1 - chance);

function standardError({ total, cells, rows, columns, observed, chance }: Table): number {
  const both = [0, 1] as const;
  const agreeing = both.map(i => cells[i][i] * (1 - chance - (rows[i] + columns[i]) * (1 - observed)) ** 2);
  const differing = both.map(i => cells[i][1 - i]! * (columns[i] + rows[1 - i]!) ** 2);
  const [a, b, c, d] = [...agreeing, ...differing] as [number, number, number, number];
  const variance = a + b + (1 - observed) ** 2 * (c + d) - (observed * chance - 2 * chance + observed) ** 2;
  return Math.sqrt(Math.max(0, variance) / total) / (1 - chance) ** 2;
}
