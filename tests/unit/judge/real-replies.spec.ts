import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@playwright/test';
import { parseScore } from '../../../src/judge/parse-score.ts';
import { parseStatus } from '../../../src/judge/parse-status.ts';

/** Real WebJudge replies (Online-Mind2Web, CC BY 4.0); not shipped. */
const folder = process.env['WEBWRIGHT_DATA'] ? join(process.env['WEBWRIGHT_DATA'], 'online-mind2web') : '';
test.skip(!existsSync(join(folder, 'webjudge_outputs.jsonl')), 'needs the Online-Mind2Web judge outputs: set WEBWRIGHT_DATA');

interface Output {
  id: string;
  final_response: string;
  image_judge_record: { Response: string; Score: number }[];
  expected: { status: string; images_with_score_3_or_more: number };
}

function rows<T>(name: string): T[] {
  return readFileSync(join(folder, name), 'utf8')
    .trim()
    .split('\n')
    .map(line => JSON.parse(line) as T);
}

test('every real final reply gives its status', () => {
  const outputs = rows<Output>('webjudge_outputs.jsonl');
  expect(outputs).toHaveLength(55);
  for (const { id, final_response, expected } of outputs) expect.soft(parseStatus(final_response), id).toBe(expected.status);
});

test('every real image reply gives the score its judge wrote', () => {
  for (const { id, image_judge_record, expected } of rows<Output>('webjudge_outputs.jsonl')) {
    const scores = image_judge_record.map(({ Response }) => parseScore(Response)?.score ?? 0);
    // Where the original parser read a number, ours reads the same; where it gave up (0), ours may do better.
    image_judge_record.forEach(({ Score }, index) => {
      if (Score > 0) expect.soft(scores[index], `${id}, image ${index + 1}`).toBe(Score);
    });
    expect.soft(scores.filter(score => score >= 3).length, id).toBe(expected.images_with_score_3_or_more);
  }
});

test('real replies that the original parser could not read give their score, or none', () => {
  const replies = rows<{ response: string; task: string; expected: { score: number | null } }>('webjudge_unparsed_image_scores.jsonl');
  expect(replies).toHaveLength(30);
  for (const { response, task, expected } of replies) expect.soft(parseScore(response)?.score ?? null, task).toBe(expected.score);
});
