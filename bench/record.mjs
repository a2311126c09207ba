/**
 * `npm run bench:record`: what the seal costs. One event is appended with its digest and that of the one before, beside a log without
 * digests written the same way; and a 300 KB screenshot becomes evidence. Median of 500, in milliseconds.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventLog } from '../dist/src/record/event-log.js';
import { EvidenceStore } from '../dist/src/record/evidence.js';
import { runFolderAt } from '../dist/src/record/run-folder.js';
import { verifyRecord } from '../dist/src/record/verify.js';
import { median, report } from './report.mjs';

const count = 500;
const folder = runFolderAt(mkdtempSync(join(tmpdir(), 'webwright-bench-')));
const message = { role: 'user', content: 'an observation of ordinary size '.repeat(200), extra: {} };

const plain = openSync(join(folder.path, 'plain.jsonl'), 'ax');
const unchained = times(step => {
  const line = JSON.stringify({ seq: step, time: new Date().toISOString(), type: 'message', step, message });
  writeSync(plain, `${line}\n`);
  JSON.parse(line);
});
closeSync(plain);

const log = new EventLog({ path: folder.events, now: () => new Date() });
const chained = times(step => log.append({ type: 'message', step, message }));
const evidence = new EvidenceStore({ folder: folder.evidence, log });
const images = Array.from({ length: count }, () => randomBytes(300_000));
const captured = times(step => evidence.add({ step, source: 'harness', label: 'step', bytes: images[step], mediaType: 'image/png' }));
log.close();
const startedMs = performance.now();
const { state } = verifyRecord({ folder, sealed: log.seal });
const verifiedMs = round(performance.now() - startedMs);
rmSync(folder.path, { recursive: true });
if (state !== 'intact') throw new Error(`the record of the bench is ${state}`);

const metrics = {
  event_ms: round(chained),
  event_without_seal_ms: round(unchained),
  seal_ms: round(chained - unchained),
  image_ms: round(captured),
};
report({
  bench: 'record',
  metrics,
  targets: { event_ms: { max: 1 } },
  lines: [
    `an event of ${JSON.stringify(message).length} characters: ${metrics.event_ms} ms with its digest, ${metrics.event_without_seal_ms} ms without`,
    `a screenshot of 300 KB as evidence: ${metrics.image_ms} ms`,
    `verify of ${2 * count} events and ${count} images: ${verifiedMs} ms`,
  ],
});

function times(work) {
  return median(
    Array.from({ length: count }, (_, step) => {
      const before = performance.now();
      work(step);
      return performance.now() - before;
    }),
  );
}

function round(ms) {
  return Math.round(ms * 1000) / 1000;
}
