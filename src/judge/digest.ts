import { createHash } from 'node:crypto';

/** Hex SHA-256 of the values, each as JSON, so that no two lists of values share a digest. */
export function digestOf(...values: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(values)).digest('hex');
}
