import { expect, test } from '../live-fixture.ts';

test.use({ trace: 'on' });

test('two steps', async ({ live }) => {
  await live.open([live.serve('/', '<button onclick="document.title=\'Clicked\'">Go</button>')]);
  await live.run("await page.getByRole('button', { name: 'Go' }).click()");
  expect((await live.run('return await page.title()')).fields['title']).toBe('Clicked');
});
