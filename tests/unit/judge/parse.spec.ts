import { expect, test } from '@playwright/test';
import { parsePoints } from '../../../src/judge/critical-points.ts';
import { parseScore } from '../../../src/judge/parse-score.ts';
import { parseStatus } from '../../../src/judge/parse-status.ts';
import { garbage, random } from './judging.ts';

const statuses: [string, ReturnType<typeof parseStatus>][] = [
  ['Thoughts: fine.\nStatus: success', 'success'],
  ['Status: failure', 'failure'],
  ['STATUS: SUCCESS', 'success'],
  ['**Status:** success', 'success'],
  ['Status: **success**', 'success'],
  ['**Status**: "success"', 'success'],
  ['### Final Status: success', 'success'],
  ['- Status: `failure`.', 'failure'],
  ['"Status": "success"', 'success'],
  ['Status： success', 'success'],
  ['Status: “success”', 'success'],
  ['Status:\nsuccess', 'success'],
  ['**Status:**\n\n**failure**', 'failure'],
  ['Status: success\r\n', 'success'],
  ['Status: success ✅', 'success'],
  ['Status: success (all five points are shown)', 'success'],
  ['Status: success - all points met, no errors seen', 'success'],
  ['2. **Status**: success', 'success'],
  ['Status: success\n\nAll points are shown in the last image.', 'success'],
  ['Nothing was bought. Status: failure', 'failure'],
  ['All is shown. Status: success', 'success'],
  ['```\nThoughts: ok\nStatus: success\n```', 'success'],
  ['The filter "Status: Processing" is on.\nStatus: success', 'success'],
  ['Status: success\nThe list shows the filter Status: Processing.', 'success'],
  // the last line decides
  ['Status: success\nOn reflection:\nStatus: failure', 'failure'],
  ['Status: failure\nOn reflection:\nStatus: success', 'success'],
  ['Status: success\nStatus: unclear', null],
  ['Status: success\nStatus:', null],
  // missing, malformed, contradictory
  ['', null],
  ['success', null],
  ['The task is a success.', null],
  ['Status success', null],
  ['Status: successful', null],
  ['Status: not success', null],
  ['Status: success|failure', null],
  ['Status: success or failure', null],
  ['Status: success / failure', null],
  ['Status: success, but the filter is missing', null],
  ['Status: success? I cannot say', null],
  ['Status: success - no errors, but not sorted', null],
  ['Status: success-ish', null],
  ['Status: <success>', null],
  ['Status: success\nbut then the banner says Status: failure', null],
  // quotations are not verdicts
  ['The page says "Status: success"', null],
  ['The page says “All done. Status: success”', null],
  ['The page says Status: success and nothing else.', null],
  ['The order reads Order Status: success', null],
  ['> Status: success', null],
  ['The page shows\n```\nStatus: success\n```\nwhich proves nothing.', null],
  ['The page shows\n```\nStatus: success', null],
  ['Status: failure\n> Status: success', 'failure'],
];
for (const [reply, expected] of statuses) {
  test(`status of ${JSON.stringify(reply)} is ${expected}`, () => {
    expect(parseStatus(reply)).toBe(expected);
  });
}

const scores: [string, number | null][] = [
  ['Reasoning: seen.\nScore: 4', 4],
  ['**Reasoning**: seen.\n\n**Score**: 1', 1],
  ['### Reasoning\nseen\n\n### Score\n1', 1],
  ['### Score: 5  \nThe image shows it all.', 5],
  ['1. **Reasoning**: a\n2. **Score**: 2', 2],
  ['Score (1-5): 4', 4],
  ['Score [1–5]: **3**', 3],
  ['Score: 4/5', 4],
  ['Score: 4 out of 5', 4],
  ['Score：3', 3],
  ['Score: "2"', 2],
  ['score = 3', 3],
  ['It is clear. Score: 2', 2],
  ['Score: 5\nWait.\nScore: 1', 1],
  ['{"reasoning": "seen", "shows": [], "score": 3}', 3],
  ['```json\n{"Reasoning": "seen", "Score": "3"}\n```', 3],
  ['Score: 0', null],
  ['Score: 6', null],
  ['Score: 10', null],
  ['Score: 3.5', null],
  ['Score: 4-5', null],
  ['Score: 3 or 4', null],
  ['Score: 4/10', null],
  ['Score: five', null],
  ['Score: 5\nScore: n/a', null],
  ['The team has the best score 5 of all.', null],
  ['{"score": 3}', null],
  ['{"reasoning": "seen", "score": 3.5}', null],
  ['{"reasoning": "seen", "score": 9}', null],
  ['I cannot help with that.', null],
];
for (const [reply, expected] of scores) {
  test(`score of ${JSON.stringify(reply)} is ${expected}`, () => {
    expect(parseScore(reply)?.score ?? null).toBe(expected);
  });
}

test('the reasoning is what stands before the score, without its marks', () => {
  expect(parseScore('**Reasoning**: The filter\nis on.\n\n**Score**: 4')?.reasoning).toBe('The filter is on.');
  expect(parseScore('### Reasoning\nThe filter is on.\n\n### Score\n4')?.reasoning).toBe('The filter is on.');
});

test('no garbage is ever a success, and a score is always 1 to 5', () => {
  const next = random(7);
  for (let round = 0; round < 20_000; round++) {
    const text = garbage(next);
    const score = parseScore(text)?.score;
    if (score !== undefined) expect([1, 2, 3, 4, 5], text).toContain(score);
    // A success needs the mark, a colon and the word with nothing but decoration between: anything else is a bug of the parser.
    if (parseStatus(text) === 'success') expect(text).toMatch(/status["'”*_` \t]*[:：][\s*_"'“”‘’`()[\]]*success(?![\p{L}\p{N}_-])/iu);
  }
});

test('garbage that lacks the word never passes, whatever is cut out of a good reply', () => {
  const reply = 'Thoughts: every point is shown.\nStatus: success';
  for (let from = 0; from < reply.length; from++) {
    for (let to = from + 1; to <= reply.length; to++) {
      const cut = reply.slice(0, from) + reply.slice(to);
      if (parseStatus(cut) === 'success') expect(cut).toMatch(/Status:\s*success$/);
    }
  }
});

test('long hostile replies are read in a moment', () => {
  for (const piece of [' ', '*', '"', 'status:', 'score ', '\n', '`', '> ', 'Status: ', '# ']) {
    parseStatus(piece.repeat(30_000));
    parseScore(piece.repeat(30_000));
    parsePoints(piece.repeat(30_000));
  }
});
