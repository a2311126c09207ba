/**
 * What guard and verdict are worth: `strong` when code of the model could not reach the test worker, `advisory` when it ran as the worker's own
 * user and could (reliability.md §2.8), null when that is not known (an environment of the user's own, a worker that was lost).
 */
export type Integrity = 'strong' | 'advisory' | null;
