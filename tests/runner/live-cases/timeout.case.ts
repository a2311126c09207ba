import { expect, test } from '../live-fixture.ts';

test('times out in the middle of a step', async ({ live }) => {
  test.setTimeout(20_000);
  await live.open();
  console.log(`tree ${(await live.run('return process.env.WEBWRIGHT_PROCESS_TREE')).fields['return_value']}`);
  await live.run('for (;;) {}');
});

test('the next test passes', async ({ live }) => {
  await live.open([live.serve('/', '<title>Next</title>')]);
  expect((await live.run('return await page.title()')).fields['return_value']).toBe('Next');
});
