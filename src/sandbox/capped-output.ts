/** What was kept of an output. */
export interface KeptOutput {
  head: Buffer;
  /** Empty when everything fits into `head`. */
  tail: Buffer;
  totalBytes: number;
  omittedBytes: number;
}

/** Collects an output of any size in bounded memory. */
export interface CappedOutput {
  /** Takes a chunk and returns the number of bytes seen so far. */
  push(chunk: Buffer): number;
  kept(): KeptOutput;
}

/**
 * Keeps the first and the last half of `keepBytes` bytes; what lies between is counted and dropped.
 *
 * @example
 * const output = cappedOutput({ keepBytes: 4 });
 * output.push(Buffer.from('abcdef'));
 * output.kept(); // head 'ab', tail 'ef', omittedBytes 2
 */
export function cappedOutput({ keepBytes }: { keepBytes: number }): CappedOutput {
  const half = Math.floor(keepBytes / 2);
  const head: Buffer[] = [];
  let headBytes = 0;
  let tail: Buffer[] = [];
  let tailBytes = 0;
  let totalBytes = 0;
  return {
    push(chunk) {
      totalBytes += chunk.length;
      const forHead = chunk.subarray(0, half - headBytes);
      if (forHead.length > 0) {
        head.push(Buffer.from(forHead));
        headBytes += forHead.length;
      }
      const rest = chunk.subarray(forHead.length);
      if (rest.length > 0) {
        tail.push(Buffer.from(rest.subarray(Math.max(0, rest.length - half))));
        tailBytes += tail.at(-1)!.length;
      }
      // Joined only when twice the limit has gathered, so that small chunks cost no quadratic copying.
      if (tailBytes > 2 * half) {
        tail = [Buffer.from(lastOf({ parts: tail, bytes: half }))];
        tailBytes = tail[0]!.length;
      }
      return totalBytes;
    },
    kept() {
      const end = lastOf({ parts: tail, bytes: half });
      return { head: Buffer.concat(head), tail: end, totalBytes, omittedBytes: totalBytes - headBytes - end.length };
    },
  };
}

function lastOf({ parts, bytes }: { parts: Buffer[]; bytes: number }): Buffer {
  const all = Buffer.concat(parts);
  return all.subarray(Math.max(0, all.length - bytes));
}
