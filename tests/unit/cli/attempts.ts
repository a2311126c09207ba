import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ItemVerdict } from '../../../src/core/verdict.ts';
import { EventLog } from '../../../src/record/event-log.ts';
import { EvidenceStore } from '../../../src/record/evidence.ts';
import { runFolderAt, writeJson } from '../../../src/record/run-folder.ts';

/** Bytes that pass for a PNG. */
export const png = (content: string) => Buffer.concat([Buffer.from('89504e470d0a1a0a', 'hex'), Buffer.from(content)]);

/** A run folder of a finished attempt, with one picture whose page text is its answer. */
export function makeAttempt({ path, answer, before = [] }: { path: string; answer: string; before?: ItemVerdict[] }): void {
  mkdirSync(path, { recursive: true });
  const folder = runFolderAt(path);
  const log = new EventLog({ path: folder.events, now: () => new Date(0) });
  const turn = JSON.stringify({ thought: '', playwright_code: 'await page.goto("/")', done: false, final_response: '' });
  log.append({ type: 'message', step: 1, message: { role: 'assistant', content: turn, extra: {} } });
  new EvidenceStore({ folder: folder.evidence }).add({
    step: 1,
    source: 'harness',
    label: 'step',
    url: 'http://shop.localhost/',
    text: answer,
    bytes: png(answer),
    mediaType: 'image/png',
  });
  log.append({ type: 'attempt-ended', exit: { exit_status: 'Submitted', final_response: answer, outcome: 'passed' } });
  log.close();
  const rubric = [{ id: 'R1', requirement: 'It is there.' }];
  writeJson(folder.runJson, { task: { id: `task ${answer}`, instruction: 'Do it.', rubric, checks: [{ id: 'C1', kind: 'url' }] } });
  const check: ItemVerdict = { id: 'C1', kind: 'check', requirement: 'r', status: 'pass', reason: 'was so', evidence: [] };
  writeJson(folder.verdict, { predicted_label: 1, reasons: '', coach: null, grader: { model: 'old', items: [check, ...before] } });
}

/**
 * Writes `judge.mjs`, a judge that passes an attempt when its answer says "good", flips on "odd" at every question, and cannot be asked about
 * "lost". Its calls are counted in `calls.txt`. Returns the spec for `-c`.
 */
export function makeJudge(folder: string): string {
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'judge.mjs'),
    `import { appendFileSync, readFileSync } from 'node:fs';
const text = content => typeof content === 'string' ? content : content.map(part => part.text ?? '').join('\\n');
export function Judge() {
  let odd = 0;
  return {
    name: 'judge', provider: 'test',
    async complete({ key, messages, role }) {
      appendFileSync(new URL('calls.txt', import.meta.url), key + '\\n');
      const prompt = messages.map(({ content }) => text(content)).join('\\n');
      if (prompt.includes('lost')) throw new Error('no connection');
      const pass = !key.includes('canary') && (prompt.includes('good') || (prompt.includes('odd') && odd++ % 2 === 0));
      const reply = role === 'coach'
        ? (key.endsWith('verdict') ? 'Thoughts: ok\\nStatus: ' + (pass ? 'success' : 'failure') : 'Reasoning: seen\\nScore: 5')
        : JSON.stringify({ reason: 'said so', status: pass ? 'pass' : 'fail', evidence: ['e1'], values: [{ value: 'good', evidence: 'e1' }], blocked: false, confidence: 1 });
      const usage = { inputTokens: 1, cachedInputTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0 };
      return { text: reply, usage, finishReason: 'stop', model: 'judge', costUsd: 0, durationMs: 0, attempts: 1, source: 'live' };
    },
  };
}
`,
  );
  return 'judge.model.model_class=./judge.mjs#Judge';
}
