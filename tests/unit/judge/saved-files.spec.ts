import { expect, test } from '@playwright/test';
import { textOf } from '../../../src/core/messages.ts';
import { freezePoints } from '../../../src/judge/critical-points.ts';
import { grade } from '../../../src/judge/grade.ts';
import { selfReflect } from '../../../src/judge/self-reflection.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { evidence, never } from './judging.ts';

const downloads = [
  {
    id: 'd1',
    name: 'books.csv',
    url: 'http://library.localhost/books.csv',
    path: 'x',
    bytes: 30,
    sha256: 's',
    text: 'title,pages\nBread,589',
  },
];
const judged = { instruction: 'How many pages?', finalResponse: 'It has 589 pages.', seed: 'seed', signal: never };

/** The grader's verdict on the answer, which cites `cited`. */
async function graded(folder: string, cited: string, files = downloads) {
  const reply = { reason: 'it stands there', status: 'pass', evidence: [cited], values: [{ value: '589 pages', evidence: cited }] };
  const model = scripted({
    grader: ({ key }) => ({ confidence: 0.9, blocked: false, ...reply, ...(key === 'item-canary' && { status: 'fail', values: [] }) }),
  });
  const { items } = await grade({
    ...judged,
    model,
    task: {
      instruction: judged.instruction,
      rubric: [{ id: 'R1', requirement: 'The answer gives the pages' }],
      checks: [
        { id: 'C1', kind: 'answer-number', value: 589 },
        { id: 'C2', kind: 'answer-number', value: 1 },
      ],
    },
    evidence: [evidence(folder, 'e1', { text: 'a list of books' })],
    history: '',
    checks: { finalResponse: judged.finalResponse, pages: [], downloads: files },
    mode: 'robust',
  });
  return { item: items.find(({ id }) => id === 'R1')!, request: model.requests[0]!.messages.map(textOf).join('\n') };
}

test('a file that the browser saved proves what stands in it, and so does a check that passed', async ({}, info) => {
  const { item, request } = await graded(info.outputDir, 'd1');
  expect(item).toMatchObject({ status: 'pass', evidence: ['d1'] });
  expect(request).toContain('File d1, saved by the browser and kept by the harness');
  expect(request).toContain('Bread,589');
  expect(request).toContain('The final response states 589 pages: in the text of d1 "title, pages Bread, 589"');
  expect((await graded(info.outputDir, 'C1')).item.status).toBe('pass');
});

test('a file that code made inside the page proves nothing', async ({}, info) => {
  for (const url of ['blob:http://library.localhost/1b2c', 'data:text/csv,title'])
    expect((await graded(info.outputDir, 'd1', [{ ...downloads[0]!, url }])).item).toMatchObject({
      status: 'cannot-tell',
      reason: /nothing that the harness captured/,
    });
});

test('no file and a check that failed prove nothing', async ({}, info) => {
  expect((await graded(info.outputDir, 'd1', [])).item).toMatchObject({ status: 'cannot-tell', reason: /cites d1, which does not exist/ });
  expect((await graded(info.outputDir, 'C2')).item).toMatchObject({ status: 'cannot-tell', reason: /nothing that the harness captured/ });
});

test('the coach sees saved files, and a point may rest on one', async ({}, info) => {
  const { points } = freezePoints({ texts: ['The pages are told'] });
  const verdict = {
    thoughts: 'in the file',
    points: [{ id: 'CP1', status: 'met', reason: 'listed', evidence: ['d1'] }],
    status: 'success',
  };
  const look = async (files: typeof downloads) => {
    const model = scripted({ coach: ({ key }) => (key.includes('/verdict') ? verdict : { reasoning: '', shows: [], score: 2 }) });
    const options = {
      ...judged,
      points,
      images: [evidence(info.outputDir, 'e1')],
      log: 'step 1',
      look: 1,
      downloads: files,
      openTabs: ['http://a.example/'],
    };
    const { predicted_label } = await selfReflect({ model, ...options });
    return { predicted_label, text: textOf(model.requests.at(-1)!.messages[1]!) };
  };
  expect(await look(downloads)).toMatchObject({
    predicted_label: 1,
    text: /File d1, saved by the browser[\s\S]*Bread,589[\s\S]*Open tabs at the end, as the harness saw them:\n.*\nhttp:\/\/a\.example/,
  });
  expect(await look([])).toMatchObject({ predicted_label: 0 });
});
