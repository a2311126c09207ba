import { expect, test } from './live-fixture.ts';

const form = '<title>Form</title><label>Name <input></label><button onclick="document.title=\'Saved\'">Save</button>';

test('code acts on the page, returns a value and prints', async ({ live }) => {
  const first = await live.open([live.serve('/', form)]);
  expect(first.fields).toMatchObject({ url: `${live.origin}/`, title: 'Form', status: 200, exception: '' });
  expect(first.fields['aria']).toContain('button "Save"');
  const seen = await live.run(`
    const name: string = 'Ada';
    await page.getByLabel('Name').fill(name);
    await page.getByRole('button', { name: 'Save' }).click();
    console.log('typed', name);
    await expect(page).toHaveTitle('Saved');
    state.name = name;
    return { title: await page.title(), n: 1n };`);
  expect(seen).toMatchObject({ success: true, exception: '' });
  expect(seen.fields).toMatchObject({ title: 'Saved', output: 'typed Ada\n', return_value: "{ title: 'Saved', n: 1n }" });
  expect(seen.screenshot?.path).toContain('evidence');
  expect((await live.run('return state.name + task.id')).fields['return_value']).toBe('Adalive');
  expect(await live.page.title()).toBe('Saved');
});

test('A1 an endless loop costs one step and the deadline; the page goes on', async ({ live }) => {
  await live.open([live.serve('/', form)], { limits: { stepTimeoutMs: 2_500 } });
  await live.run("await page.getByLabel('Name').fill('kept'); state.a = 1");
  const killed = await live.run("console.log('before'); for (;;) {}");
  expect(killed.success).toBe(false);
  expect(killed.exception).toContain('did not finish within 2.5 s');
  expect(killed.fields['output']).toBe('before\n');
  const next = await live.run("return [await page.getByLabel('Name').inputValue(), Object.keys(state).length]");
  expect(next.fields['return_value']).toBe("[ 'kept', 0 ]");
});

test('A2 a promise that never settles is ended at the deadline', async ({ live }) => {
  await live.open([], { limits: { stepTimeoutMs: 2_000 } });
  expect((await live.run('await new Promise(() => {})')).exception).toContain('did not finish within 2 s');
  expect((await live.run('return 1')).fields['return_value']).toBe('1');
});

test('A3 a child that ends by itself settles the step', async ({ live }) => {
  await live.open();
  expect((await live.run("console.log('bye'); process.exit(3)")).exception).toContain('exit code 3');
  expect((await live.run('process.abort()')).exception).toContain('SIGABRT');
  expect((await live.run('const all = []; for (;;) all.push(new Array(1e6).fill(all.length))')).exception).toContain('memory');
  expect((await live.run('return 2')).fields['return_value']).toBe('2');
});

test('A5 a rejection that was not awaited is the error of the step', async ({ live }) => {
  await live.open();
  expect((await live.run("Promise.reject(new Error('lost'))")).exception).toContain('lost');
  expect((await live.run('return 3')).success).toBe(true);
});

test('D10 lines of a string arrive as written, comments alone are code, state stays, and a popup is told and worked in', async ({
  live,
}) => {
  live.serve('/more', '<title>More</title><h1>Opening hours</h1>');
  await live.open([live.serve('/', '<title>Home</title><textarea aria-label="Note"></textarea><a href="/more" target="_blank">More</a>')]);
  const lines = 'first\n    indented\n\tlast';
  await live.run(`state.note = \`${lines}\`;\nawait page.getByLabel('Note').fill(state.note);`);
  expect(await live.page.getByLabel('Note').inputValue()).toBe(lines);
  expect(await live.run('// nothing to do here')).toMatchObject({ success: true, exception: '' });
  const opened = await live.run("await page.getByRole('link').click(); return state.note");
  expect(opened.fields['return_value']).toContain('indented');
  expect(JSON.stringify(opened.fields)).toContain('/more');
  const read = await live.run("return await context.pages().at(-1).getByRole('heading').textContent()");
  expect(read.fields['return_value']).toBe('Opening hours');
});

test('an error names the line of the code', async ({ live }) => {
  await live.open();
  const { exception } = await live.run("const a = 1;\n\nthrow new TypeError('wrong ' + a);");
  expect(exception).toBe("TypeError: wrong 1\n    at line 3, column 7: throw new TypeError('wrong ' + a);");
});
