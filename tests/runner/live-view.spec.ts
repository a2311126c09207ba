import { encode } from 'gpt-tokenizer/encoding/o200k_base';
import { observationPage } from '../../bench/observation-pages.mjs';
import { expect, test } from './live-fixture.ts';

const aria = (observation: { fields: Record<string, unknown> }) => String(observation.fields['aria']);
const tokens = (text: string) => encode(text).length;

for (const [name, budget] of [
  ['D', 60],
  ['A', 1_100],
  ['B', 1_220],
  ['C', 1_250],
] as const) {
  test(`page ${name} is told in at most ${budget} tokens, and a change in at most 70`, async ({ live }) => {
    const first = await live.open([live.serve('/', observationPage(name))]);
    expect(tokens(aria(first))).toBeLessThanOrEqual(budget);
    expect(first.fields['aria_mode']).toBe('folded');
    if (name === 'D') return;
    const changed = await live.run("await page.getByRole('button', { name: 'Add to cart' }).first().click()");
    expect(changed.fields).toMatchObject({ aria_mode: 'delta', base_step: 0 });
    expect(aria(changed)).toContain('- Cart: 0\n+ Cart: 1');
    expect(tokens(aria(changed))).toBeLessThanOrEqual(70);
    expect(aria(await live.run('return 1'))).toContain('(no change since step 1)');
  });
}

test('what is folded is answered by one short step of code', async ({ live }) => {
  const first = await live.open([live.serve('/', observationPage('C'))]);
  expect(aria(first)).toContain("page.locator('tbody tr')");
  const questions: [string, string][] = [
    [
      "return await page.locator('tbody tr').filter({ hasText: '1777' }).first().innerText()",
      '1777\t2026-10-22\tCustomer Chen 778\tPending\t$9725.00\tLagos',
    ],
    ["return (await page.locator('tbody tr').filter({ hasText: 'Paid' }).count())", '500'],
    [
      "return (await page.locator('tbody tr').filter({ hasText: 'Paid' }).allInnerTexts()).reduce((sum, row) => sum + Number(row.split('\\t')[4].slice(1)), 0)",
      '6243750',
    ],
    ["await page.getByRole('button', { name: 'Save product 24' }).focus(); return 'found'", 'found'],
  ];
  for (const [code, answer] of questions) expect.soft((await live.run(code)).fields['return_value'], code).toBe(answer);
});

test('every name in the view is one that getByRole finds', async ({ live }) => {
  const first = await live.open([
    live.serve(
      '/',
      `<title>Names</title><main>
      <label>Mail <input type=email></label><label for=a>Age</label><input id=a type=number value=3>
      <input aria-label="Search" type=search placeholder="Find"><input placeholder="Only a hint"><input type=submit><input type=button value="Press">
      <button><svg><title>Close</title></svg></button><button aria-labelledby="x y">?</button><i id=x>Two</i> <i id=y>words</i>
      <button><img alt="Cart" src=""> <span>3</span> items</button><a href="#"><b>Bold</b><span> link</span></a><a href="#" title="Titled"></a>
      <div role=button tabindex=0>Custom <em>one</em></div><div role=checkbox aria-checked=true tabindex=0>Agree</div>
      <h2>Head <small>small</small></h2><select aria-label="Pick"><option>One<option selected>Two</select><textarea aria-label=Notes>text</textarea>
      <div role=tablist><button role=tab aria-selected=true>First tab</button><button role=tab>Second tab</button></div>
      <details><summary>More</summary>hidden inside</details><fieldset><legend>Group name</legend><label><input type=radio name=r> Yes</label></fieldset>
      <p>Text with <b>bold</b> and <a href="#">a link</a> in it</p><div style="display:none"><button>Gone</button></div><span aria-hidden=true>unseen</span>
      <nav aria-label="Side"><a href="#">One</a></nav><img alt="A picture" src=""><a href="#">Same&nbsp;&nbsp;line
      break</a><progress value=1 max=2 aria-label=Load></progress></main>`,
    ),
  ]);
  const view = aria(first);
  expect(view).not.toMatch(/Gone|unseen|hidden inside/);
  const wanted: [Parameters<typeof live.page.getByRole>[0], string][] = [
    ['textbox', 'Mail'],
    ['spinbutton', 'Age'],
    ['searchbox', 'Search'],
    ['textbox', 'Only a hint'],
    ['button', 'Submit'],
    ['button', 'Press'],
    ['button', 'Close'],
    ['button', 'Two words'],
    ['button', 'Cart 3 items'],
    ['link', 'Bold link'],
    ['link', 'Titled'],
    ['button', 'Custom one'],
    ['checkbox', 'Agree'],
    ['heading', 'Head small'],
    ['combobox', 'Pick'],
    ['textbox', 'Notes'],
    ['tab', 'First tab'],
    ['radio', 'Yes'],
    ['group', 'Group name'],
    ['link', 'a link'],
    ['navigation', 'Side'],
    ['img', 'A picture'],
    ['link', 'Same line break'],
    ['progressbar', 'Load'],
  ];
  for (const [role, name] of wanted) {
    expect.soft(view, `${role} in the view`).toContain(name);
    expect.soft(await live.page.getByRole(role, { name, exact: true }).count(), `${role} "${name}"`).toBe(1);
  }
  expect(view).toContain('tabs: First tab [selected] | Second tab');
  expect(view).toContain('combobox "Pick" = "Two", options: One | Two');
});

test('E14 a page of 100,000 elements is told in part, and answers right after', async ({ live }) => {
  const first = await live.open([
    live.serve(
      '/',
      `<title>Huge</title><h1>Top</h1><div id=all></div><script>for (let i = 0; i < 50000; i++) { const p = document.createElement('p'); p.innerHTML = '<b>word ' + i + '</b>'; all.append(p); }</script>`,
    ),
  ]);
  expect(first.fields['title']).toBe('Huge');
  expect(aria(first)).toContain('h1 "Top"');
  expect(aria(first)).toMatch(/50000 items/);
  expect(aria(first).length).toBeLessThanOrEqual(24_000);
});

test('E15 frames, canvas and closed shadow roots: content where there is some, a limit where not', async ({ live }) => {
  live.serve('/inner', '<button>Inside</button>');
  const first = await live.open([
    live.serve(
      '/',
      `<iframe title="Same site" src="/inner"></iframe>
      <iframe title="Other site" src="${live.origin.replace('127.0.0.1', 'localhost')}/inner" id="other"></iframe>
      <canvas aria-label="Chart" width=40 height=40></canvas><x-closed style="display:block;height:20px"></x-closed><x-open></x-open>
      <script>
        customElements.define('x-closed', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'closed' }).innerHTML = '<button>Secret</button>'; } });
        customElements.define('x-open', class extends HTMLElement { constructor() { super(); this.attachShadow({ mode: 'open' }).innerHTML = '<button><slot></slot> Open</button>'; } });
      </script>`,
    ),
  ]);
  expect(aria(first)).toContain('iframe "Same site"');
  expect(aria(first).match(/button "Inside"/g)).toHaveLength(2);
  expect(aria(first)).toContain("page.frameLocator('#other')");
  expect(aria(first)).toContain('canvas "Chart" (a picture; see the screenshot)');
  expect(aria(first)).toContain('custom element "x-closed" (its content cannot be read; see the screenshot)');
  expect(aria(first)).toContain('button "Open"');
});

test('E22 a password is shown nowhere', async ({ live }) => {
  const html = '<title>In</title><label>User <input></label><label>Password <input type=password></label><button>In</button>';
  await live.open([live.serve('/', html)]);
  const seen = await live.run("await page.getByLabel('Password').fill('hunter2-secret'); await page.getByLabel('User').fill('ada')");
  expect(JSON.stringify(seen)).not.toContain('hunter2');
  expect(aria(seen)).toContain('Password = "(hidden)"');
  expect(JSON.stringify(live.evidence().items)).not.toContain('hunter2');
});

test('E22 nor in the whole ARIA snapshot, which is another mode', async ({ live }) => {
  const html = '<label>Password <input type=password value="hunter2-secret"></label>';
  const whole = await live.open([live.serve('/', html)], { ariaMode: 'full' });
  expect(whole.fields).toMatchObject({ aria_mode: 'full' });
  expect(aria(whole)).toContain('Password');
  expect(aria(whole)).not.toContain('hunter2');
});

test('text that people cannot see is marked', async ({ live }) => {
  const first = await live.open([
    live.serve(
      '/',
      `<p>Visible words</p><p style="color:white">White on white</p><p style="font-size:0">No size</p><p style="opacity:0">Transparent</p>
      <p style="position:absolute;left:-9999px">Far away</p><p style="position:absolute;width:1px;height:1px;overflow:hidden">Clipped</p>
      <div style="background:#333"><p style="color:white">White on dark</p></div>`,
    ),
  ]);
  const marked = aria(first)
    .split('\n')
    .filter(line => line.includes('[invisible]'));
  expect(marked.map(line => line.replace(' [invisible]', '').trim())).toEqual([
    'White on white',
    'No size',
    'Transparent',
    'Far away',
    'Clipped',
  ]);
});

test('lists of more than 30 are folded with what stands out; the fields of a form never are', async ({ live }) => {
  const items = Array.from(
    { length: 50 },
    (_, i) => `<li${i === 20 ? ' aria-current=true' : ''}><a href="/${i}">Item ${i}</a> costs ${i}</li>`,
  ).join('');
  const boxes = Array.from(
    { length: 40 },
    (_, i) => `<label><input type=checkbox> Choice ${String.fromCharCode(65 + (i % 26))}${i}</label>`,
  ).join('');
  const first = await live.open([live.serve('/', `<ul class=results>${items}</ul><form>${boxes}</form>`)]);
  expect(aria(first)).toContain('list, 50 items');
  expect(aria(first)).toContain('21. link "Item 20"');
  expect(aria(first)).toContain("46 more: page.locator('ul > li')");
  expect(aria(first)).not.toContain('Item 30');
  expect(aria(first)).toContain('Choice N39');
});
