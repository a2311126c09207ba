import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { createCompaction } from '../../../src/agent/compaction.ts';
import { contextView } from '../../../src/agent/view.ts';
import type { Event } from '../../../src/core/events.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { readEvents } from '../../../src/record/event-log.ts';
import { trajectoryOf } from '../../../src/record/trajectory.ts';
import { fakeEnvironment, newLog, newLoop } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'webwright-golden-'));

/** A scripted attempt as its log stands on disk: same script, same bytes. */
async function recordedLog({ steps, summaryEvery = 0 }: { steps: number; summaryEvery?: number }): Promise<string> {
  const turns = Array.from({ length: steps - 1 }, (_, index) => ({
    thought: `look at page ${index + 1}`,
    bash_command: `curl shop/page/${index + 1}`,
  }));
  const model = scripted({
    agent: [...turns, { done: true, final_response: `read ${steps - 1} pages` }],
    compaction: (_request, index) => `summary ${index + 1}: the pages so far were read`,
  });
  const log = newLog();
  const { environment } = fakeEnvironment({ observe: code => `<ul>${`<li>${code}</li>`.repeat(20)}</ul>` });
  const compact = createCompaction({
    everySteps: summaryEvery,
    atTokens: 0,
    prompt: 'summarise',
    reread: step => `logs/step_${step}.log`,
    plan: async () => null,
  });
  const { loop } = newLoop({ model, environment, log, limits: { steps: steps + 10 }, compact });
  await loop.run();
  return log.events.map(event => `${JSON.stringify(event)}\n`).join('');
}

function load(text: string): Event[] {
  const path = join(folder, `${createHash('sha256').update(text).digest('hex')}.jsonl`);
  writeFileSync(path, text);
  return readEvents(path);
}

const exported = (events: readonly Event[]) =>
  JSON.stringify({ view: contextView(events, { keepLastObservations: 3 }), trajectory: trajectoryOf(events) }, null, 1);

const cases = {
  five: { steps: 5 },
  sixty: { steps: 60 },
  compacted: { steps: 60, summaryEvery: 20 },
  thousand: { steps: 1_000, summaryEvery: 100 },
};

// After a deliberate change of view, export or log: npx playwright test -c tests --project=unit golden -u
for (const [name, options] of Object.entries(cases)) {
  test(`golden log "${name}": the log, its view and its export are the recorded bytes`, async ({}, testInfo) => {
    const text = await recordedLog(options);
    const current = {
      log: createHash('sha256').update(text).digest('hex'),
      export: createHash('sha256')
        .update(exported(load(text)))
        .digest('hex'),
      messages: contextView(load(text), { keepLastObservations: 3 }).length,
    };
    const path = join(import.meta.dirname, 'golden.json');
    const golden = JSON.parse(readFileSync(path, 'utf8'));
    if (['all', 'changed'].includes(testInfo.config.updateSnapshots))
      writeFileSync(path, `${JSON.stringify({ ...golden, [name]: current }, null, 2)}\n`);
    else expect(current).toEqual(golden[name]);
  });
}

test('a log cut at any byte of its last line gives the log without that line, byte for byte', async () => {
  // The exit message is the last line that an export shows.
  const text = (await recordedLog({ steps: 5 })).replace(/\n[^\n]*"turn-ended"[^\n]*\n$/, '\n');
  const whole = text.slice(0, text.slice(0, -1).lastIndexOf('\n') + 1);
  const expected = exported(load(whole));
  for (let cut = whole.length; cut < text.length; cut += 1) expect(exported(load(text.slice(0, cut)))).toBe(expected);
  expect(exported(load(text))).not.toBe(expected);
});

test('the record costs the same per step at 1,000 steps as at 10', async () => {
  const perStep = async (steps: number) => (await recordedLog({ steps })).length / steps;
  expect((await perStep(1_000)) / (await perStep(10))).toBeLessThan(1.1);
});
