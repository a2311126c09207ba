import { WebwrightError } from '../core/errors.ts';

/** A layer's value for a key that it leaves as it is; unlike `null`, which is a value. */
export const UNSET: unique symbol = Symbol('UNSET');

/** A config tree before it is validated. */
export type Tree = { [key: string]: unknown };

/**
 * Lays one tree over another and returns a new one: objects merge key by key, lists and scalars are replaced, an explicit
 * `null` replaces too, `UNSET` and `undefined` leave the lower value. `onSet` hears every path that was set.
 *
 * @example
 * mergeTrees({ lower: { a: { x: 1, y: [1] } }, upper: { a: { y: [2] } } }); // { a: { x: 1, y: [2] } }
 */
export function mergeTrees({
  lower,
  upper,
  onSet,
  path = [],
}: {
  lower: Tree;
  upper: Tree;
  onSet?: (path: string[], value: unknown) => void;
  path?: string[];
}): Tree {
  const merged: Tree = { ...lower };
  for (const [key, value] of Object.entries(upper)) {
    if (value === UNSET || value === undefined) continue;
    refuseUnsafeKey(key);
    const at = [...path, key];
    if (isTree(value)) {
      const below = Object.hasOwn(merged, key) && isTree(merged[key]) ? merged[key] : {};
      merged[key] = mergeTrees({ lower: below, upper: value, path: at, ...(onSet && { onSet }) });
      if (Object.keys(value).length === 0) onSet?.(at, value);
    } else {
      merged[key] = value;
      onSet?.(at, value);
    }
  }
  return merged;
}

export function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function refuseUnsafeKey(key: string): void {
  if (key !== '__proto__' && key !== 'constructor' && key !== 'prototype') return;
  throw new WebwrightError({ code: 'CONFIG_INVALID', what: `A config key may not be called ${key}`, seen: key, remedy: 'rename it' });
}
