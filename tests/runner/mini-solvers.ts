import { readFileSync } from 'node:fs';
import { type BrowserContext, expect, type Locator, type Page } from '@playwright/test';
import { answerCookies } from './sites-fixture.ts';

/** Solves a mini task by hand, as a person would; returns the answer. `pick` replaces the right thing by a near miss. */
export type Solver = (options: { context: BrowserContext; pick?: string }) => Promise<string>;

const shop = 'http://shop.localhost';
const library = 'http://library.localhost';

/** One solver per row of `tasks/mini/`. They read the pages; none knows a result beforehand. */
export const solvers: Record<string, Solver> = {
  'mini-live-kettle': async ({ context, pick }) => {
    const page = await openSite({ context, address: `${shop}/` });
    await page.getByRole('navigation', { name: 'Departments' }).getByRole('link', { name: 'Kettles' }).click();
    await narrow({ page, boxes: ['Blue', 'In stock only'] });
    await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Price: low to high');
    await page.waitForURL(/sort=price-up/);
    await loaded(page);
    const fitting = page
      .locator('.card')
      .filter({ hasText: 'Electric' })
      .filter({ hasText: /(1\.[5-9]|[2-9]\.\d) litres/ });
    await openCard(pick ? page.locator('.card').filter({ hasText: pick }) : fitting.first());
    const name = await shown(page.getByRole('heading', { level: 1 }));
    await page.getByRole('button', { name: 'Add to basket' }).click();
    const { number, total } = await order({
      page,
      delivery: /^Standard/,
      customer: ['Ada Quill', 'ada.quill@example.com', '4 Mill Lane', 'Wickerby', 'WB1 4QL'],
    });
    return `The ${name}, order ${number}, total ${total} with delivery.`;
  },

  'mini-live-reading-corner': async ({ context, pick }) => {
    const page = await openSite({ context, address: `${library}/` });
    await page.getByRole('searchbox', { name: 'Search the catalogue' }).fill('the reading lamp marchbank');
    await page.getByRole('button', { name: 'Search' }).click();
    await narrow({ page, boxes: ['Book'] });
    await page
      .locator('.book')
      .filter({ hasText: pick ?? '2nd edition' })
      .getByRole('link')
      .click();
    const { facts, title } = await readBook(page);
    await reserve({ page, name: 'Tom Ferrant', card: 'WL-40213', branch: 'Harbour', notify: 'Email' });
    await page.getByRole('link', { name: title }).click();
    const opened = context.waitForEvent('page');
    await page.getByRole('link', { name: /on the floor plan/ }).click();
    const place = await shown((await opened).locator('[data-place]'));

    const tab = await openSite({ context, address: `${shop}/products?category=lamps` });
    await narrow({ page: tab, boxes: ['Green', 'In stock only'] });
    await tab.getByRole('combobox', { name: 'Sort by' }).selectOption('Price: low to high');
    await tab.waitForURL(/sort=price-up/);
    await loaded(tab);
    await openCard(tab.locator('.card').filter({ hasText: 'Desk lamp' }).first());
    const lamp = await shown(tab.getByRole('heading', { level: 1 }));
    const price = await shown(tab.locator('.product-facts .price strong'));
    await tab.getByRole('button', { name: 'Add to basket' }).click();
    await tab.waitForURL(/\/basket/);
    return `Shelf mark ${facts['Shelf mark']}, ${facts['Pages']} pages. ${place} The lamp is the ${lamp} at ${price}.`;
  },

  'mini-live-gift': async ({ context, pick }) => {
    const page = await openSite({ context, address: `${library}/search` });
    await narrow({ page, boxes: ['Cookery', 'Book'] });
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Save all results' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('wickerby-books.csv');
    const [, ...rows] = readFileSync(await saved.path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    const books = rows.map(row => {
      const fields = [...row.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '');
      return { title: fields[0]!, pages: Number(fields[7]) };
    });
    const longest = books.reduce((one, other) => (other.pages > one.pages ? other : one));
    const together = books.reduce((sum, { pages }) => sum + pages, 0);

    const tab = await openSite({ context, address: `${shop}/products?category=mugs` });
    await narrow({ page: tab, boxes: ['Green', 'In stock only'] });
    await tab.getByRole('combobox', { name: 'Sort by' }).selectOption('Price: low to high');
    await tab.waitForURL(/sort=price-up/);
    await loaded(tab);
    await openCard(pick ? tab.locator('.card').filter({ hasText: pick }) : tab.locator('.card').first());
    const mug = await shown(tab.getByRole('heading', { level: 1 }));
    const price = await shown(tab.locator('.product-facts .price strong'));
    await tab.getByRole('button', { name: 'Add to basket' }).click();
    tab.once('dialog', dialog => dialog.accept(longest.title));
    await tab.getByRole('button', { name: 'Add a gift note' }).click();
    await tab.locator('[data-gift-note]').waitFor();
    return `${longest.title}; ${books.length} books with ${together} pages together. The mug is the ${mug} at ${price}.`;
  },

  'mini-workspace-bulbs': async ({ context, pick }) => {
    const page = await openSite({ context, address: `${shop}/products?category=bulbs&stock=in` });
    await loaded(page);
    const offers = await page.locator('.card').evaluateAll(cards =>
      cards.map(card => {
        const text = (selector: string) => card.querySelector(selector)?.textContent ?? '';
        const name = text('h3 a').split(', white')[0]!;
        const size = Number(/pack of (\d+)/.exec(name)?.[1] ?? 1);
        const packs = Math.ceil(10 / size);
        return { name, packs, facts: text('.facts'), cost: Number(text('.price strong').slice(1)) * packs };
      }),
    );
    const fitting = offers.filter(({ facts }) => facts === 'E27 · 2700 K').sort((a, b) => a.cost - b.cost);
    const { name, packs } = fitting.find(offer => offer.name === pick) ?? fitting[0]!;
    await openCard(page.locator('.card').filter({ hasText: name }));
    await page.getByRole('spinbutton', { name: 'Quantity' }).fill(String(packs));
    await page.getByRole('button', { name: 'Add to basket' }).click();
    const { number, total } = await order({
      page,
      delivery: /^Collect/,
      customer: ['Nell Arkwright', 'nell.arkwright@example.com', '12 Quay Street', 'Wickerby', 'WB2 7HD'],
    });
    return `${name}: ${packs} packs, order ${number}, total ${total}.`;
  },

  'mini-workspace-astronomy': async ({ context, pick }) => {
    const page = await openSite({ context, address: `${library}/search` });
    await narrow({ page, boxes: ['Astronomy', 'Book', 'English', 'Central'] });
    await page.getByRole('spinbutton', { name: 'From' }).fill('1990');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.waitForURL(/from=1990/);
    await loaded(page);
    const addresses = await page.locator('.book h2 a').evaluateAll(links => links.map(link => (link as HTMLAnchorElement).href));
    const books: (Awaited<ReturnType<typeof readBook>> & { address: string })[] = [];
    for (const address of addresses) {
      await page.goto(address);
      books.push({ ...(await readBook(page)), address });
    }
    books.sort((a, b) => Number(b.facts['Pages']) - Number(a.facts['Pages']));
    const chosen = books.find(({ title }) => title === pick) ?? books[0]!;
    await page.goto(chosen.address);
    await reserve({ page, name: 'Sam Olander', card: 'WL-77120', branch: 'Central', notify: 'Letter' });
    const { title, author, facts } = chosen;
    const list = books.map(book => `- ${book.title}: ${book.facts['Pages']} pages`).join('\n');
    return `${title} by ${author}, ${facts['Shelf mark']}, ${facts['Pages']} pages.\n${list}`;
  },
};

async function openSite({ context, address }: { context: BrowserContext; address: string }): Promise<Page> {
  const page = await context.newPage();
  await page.goto(address);
  await answerCookies({ page });
  return page;
}

async function loaded(page: Page): Promise<void> {
  await page.locator('[data-late-list]:not([aria-busy]) .result-count').waitFor();
}

async function narrow({ page, boxes }: { page: Page; boxes: string[] }): Promise<void> {
  const filters = page.locator('#filters');
  for (const name of boxes) await filters.getByRole('checkbox', { name, exact: true }).check();
  await loaded(page);
}

async function openCard(card: Locator): Promise<void> {
  await card.getByRole('heading').getByRole('link').click();
  await card.page().waitForURL(/\/products\/[a-z]/);
}

async function order({ page, delivery, customer }: { page: Page; delivery: RegExp; customer: string[] }) {
  await page.getByRole('link', { name: 'Go to checkout' }).click();
  const labels = ['Full name', 'Email address', 'Street and number', 'Town', 'Postcode'];
  for (const [index, name] of labels.entries()) await page.getByRole('textbox', { name }).fill(customer[index]!);
  await page.getByRole('radio', { name: delivery }).check();
  await page.getByRole('checkbox', { name: /^I have read the terms/ }).check();
  await page.getByRole('button', { name: 'Place order' }).click();
  return { number: await shown(page.locator('[data-order-number]')), total: await shown(page.locator('[data-total]')) };
}

async function shown(locator: Locator): Promise<string> {
  return ((await locator.textContent()) ?? '').trim();
}

interface BookFacts {
  title: string;
  author: string;
  facts: Record<string, string>;
}

async function readBook(page: Page): Promise<BookFacts> {
  await page.waitForURL(/\/books\/\d+$/);
  const rows = await page
    .locator('.facts-table tr')
    .evaluateAll(all => all.map(row => [...row.children].map(cell => cell.textContent ?? '')));
  const author = await shown(page.locator('.record .by'));
  return {
    title: await shown(page.getByRole('heading', { level: 1 })),
    author: author.replace(/^by /, ''),
    facts: Object.fromEntries(rows),
  };
}

async function reserve({ page, name, card, branch, notify }: Record<'name' | 'card' | 'branch' | 'notify', string> & { page: Page }) {
  await page.getByRole('link', { name: 'Reserve this book' }).click();
  await page.getByRole('textbox', { name: 'Full name' }).fill(name);
  await page.getByRole('textbox', { name: 'Library card number' }).fill(card);
  await page.getByRole('radio', { name: branch }).check();
  await page.getByRole('radio', { name: notify }).check();
  await page.getByRole('button', { name: 'Reserve' }).click();
  await page.waitForURL(/\/reservations/);
}
