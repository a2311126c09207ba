import { expect, test } from '@playwright/test';
import { imagesOf, textOf } from '../../../src/core/messages.ts';
import { imageQa } from '../../../src/judge/image-qa.ts';
import { scripted } from '../../../src/models/scripted.ts';
import { evidence, never, unreachable } from './judging.ts';

const answer = { answer: 'Yes', evidence: ['a chip "Blue" at the top'], unknown: false, confidence: 0.8 };

test('an answer about several images', async ({}, info) => {
  const model = scripted({ 'image-qa': [answer] });
  const images = [evidence(info.outputDir, 'e1'), evidence(info.outputDir, 'e2')];
  expect(await imageQa({ model, images, question: 'Is the filter\u200b on?', key: 'question-1', signal: never })).toEqual(answer);
  const user = model.requests[0]!.messages[1]!;
  expect(imagesOf(user)).toHaveLength(2);
  expect(textOf(user)).toContain('Is the filter on?');
});

test('what cannot be read is unknown, never an answer', async ({}, info) => {
  const ask = (replies: unknown[], images = [evidence(info.outputDir, 'e1')]) =>
    imageQa({ model: scripted({ 'image-qa': replies as string[] }), images, question: 'q', key: 'question-1', signal: never });
  expect(await ask(['Yes', { ...answer, confidence: 7 }, { ...answer, unknown: 'no' }])).toMatchObject({ unknown: true, confidence: 0 });
  expect(await ask([], [])).toMatchObject({ unknown: true });
  await expect(ask([unreachable()])).rejects.toMatchObject({ failure: 'unreachable' });
  const gone = evidence(info.outputDir, 'e1');
  await expect(ask([answer], [{ ...gone, image: { ...gone.image, path: '/no/such.png' } }])).rejects.toMatchObject({ code: 'EVIDENCE' });
});
