import { readFileSync } from 'node:fs';
import { AxeBuilder } from '@axe-core/playwright';
import { expect, type Page } from '@playwright/test';
import { answerCookies, test } from './sites-fixture.ts';

const shop = 'http://shop.localhost';
const library = 'http://library.localhost';

const pages = [
  `${shop}/`,
  `${shop}/products`,
  `${shop}/products?category=kettles&colour=blue&stock=in&min=20&max=60&sort=price-up`,
  `${shop}/products?q=nothing+like+this`,
  `${shop}/products/skerry-kettle-blue`,
  `${shop}/products/brook-kettle-blue`,
  `${shop}/products/ember-led-bulb-e27-pack-of-5-white`,
  `${shop}/basket`,
  `${shop}/delivery`,
  `${shop}/nowhere`,
  `${library}/`,
  `${library}/search`,
  `${library}/search?q=lamp&format=Book&available=Central&from=1990&sort=newest`,
  `${library}/books/1034`,
  `${library}/books/1034/reserve`,
  `${library}/reservations`,
  `${library}/hours`,
  `${library}/floor-plan?mark=749.63%20MAR%202009`,
  `${library}/nowhere`,
];

/** Serious and critical findings of axe on the page as it stands. */
async function axeFindings(page: Page): Promise<string[]> {
  const { violations, passes } = await new AxeBuilder({ page }).analyze();
  expect(passes.length, 'axe looked at the page').toBeGreaterThan(5);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

async function settled(page: Page): Promise<void> {
  await expect(page.locator('[aria-busy]')).toHaveCount(0);
}

const count = (page: Page) => page.locator('.result-count');
const names = (page: Page) => page.locator('.grid .card h3');

test.describe('accessibility', () => {
  for (const [site, origin] of Object.entries({ shop, library })) {
    test(`axe finds nothing serious on the pages of the ${site}`, async ({ page }) => {
      await page.goto(`${origin}/`);
      expect(await axeFindings(page), 'with the cookie banner').toEqual([]);
      await answerCookies({ page });
      for (const address of pages.filter(other => other.startsWith(origin))) {
        await page.goto(address);
        await settled(page);
        expect.soft(await axeFindings(page), address).toEqual([]);
      }
    });
  }

  test('axe finds nothing serious in forms with errors and on confirmations', async ({ page }) => {
    await page.goto(`${shop}/products/skerry-kettle-blue`);
    await answerCookies({ page });
    await page.getByRole('button', { name: 'Add to basket' }).click();
    expect(await axeFindings(page), 'basket').toEqual([]);
    await page.getByRole('link', { name: 'Go to checkout' }).click();
    expect(await axeFindings(page), 'checkout').toEqual([]);
    await page.getByRole('button', { name: 'Place order' }).click();
    expect(await axeFindings(page), 'checkout with errors').toEqual([]);
    await fillCheckout(page);
    await page.getByRole('button', { name: 'Place order' }).click();
    await expect(page.getByRole('heading', { name: 'Thank you, Ada Quill' })).toBeVisible();
    expect(await axeFindings(page), 'order').toEqual([]);

    await page.goto(`${library}/books/1034/reserve`);
    await answerCookies({ page });
    await page.getByRole('button', { name: 'Reserve' }).click();
    expect(await axeFindings(page), 'reservation with errors').toEqual([]);
    await fillReservation(page);
    await page.getByRole('button', { name: 'Reserve' }).click();
    await expect(page.getByRole('heading', { name: 'My reservations' })).toBeVisible();
    expect(await axeFindings(page), 'reservations').toEqual([]);
  });
});

test('the cookie banner takes every click until it is answered, once per visitor', async ({ page, sites }) => {
  await page.goto(`${shop}/`);
  const link = page.getByRole('link', { name: 'See all products' });
  const { x, y, width, height } = (await link.boundingBox())!;
  await page.mouse.click(x + width / 2, y + height / 2);
  await answerCookies({ page });
  expect(sites.requests('shop').filter(({ path }) => path === '/products')).toEqual([]);
  await page.mouse.click(x + width / 2, y + height / 2);
  await expect(page).toHaveURL(`${shop}/products`);
  await expect(page.getByRole('dialog')).toHaveCount(0);
  expect(sites.state('shop')).toMatchObject({ consents: [{ session: '1', choice: 'necessary' }] });
});

test('the list of products arrives more than half a second after the page', async ({ page }) => {
  let asked = Number.POSITIVE_INFINITY;
  let look = () => {};
  const looked = new Promise<void>(resolve => {
    look = resolve;
  });
  await page.route('**/products/list*', async route => {
    await looked;
    asked = performance.now();
    await route.continue();
  });
  await page.goto(`${shop}/products`);
  await expect(page.getByText('Loading products…')).toBeVisible();
  await expect(names(page)).toHaveCount(0);
  look();
  await expect(names(page)).toHaveCount(12);
  // The server holds the list back, so a slow machine can only make this longer.
  expect(performance.now() - asked).toBeGreaterThan(500);
});

test('filters, sorting and pages narrow the list and stay in the address', async ({ page }) => {
  await page.goto(`${shop}/`);
  await answerCookies({ page });
  await page.getByRole('navigation', { name: 'Departments' }).getByRole('link', { name: 'All products' }).click();
  await expect(count(page)).toHaveText('60 products, page 1 of 5');

  await page.getByRole('checkbox', { name: 'Kettles' }).check();
  await expect(count(page)).toHaveText('16 products, page 1 of 2');
  await page.getByRole('link', { name: 'Next' }).click();
  await expect(count(page)).toHaveText('16 products, page 2 of 2');
  await expect(page).toHaveURL(/category=kettles.*page=2/);

  await page.getByRole('checkbox', { name: 'Blue' }).check();
  await expect(count(page)).toHaveText('7 products');
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Price: low to high');
  await expect(names(page).first()).toHaveText('Brook Kettle, blue');
  await page.getByRole('checkbox', { name: 'In stock only' }).check();
  await expect(names(page).first()).toHaveText('Tarn Mini Kettle, blue');
  await page.getByRole('spinbutton', { name: 'To' }).fill('30');
  await page.getByRole('button', { name: 'Apply filters' }).click();
  await expect(names(page)).toHaveText(['Tarn Mini Kettle, blue', 'Cairn Whistling Kettle, blue', 'Skerry Kettle, blue']);

  await page.reload();
  await expect(names(page)).toHaveCount(3);
  await expect(page.getByRole('checkbox', { name: 'Blue' })).toBeChecked();
  await page.getByRole('link', { name: 'Remove filter: Up to £30' }).click();
  await expect(count(page)).toHaveText('6 products');
  await page.goBack();
  await expect(names(page)).toHaveCount(3);
});

test('a basket can be filled, changed and emptied, and belongs to one browser context', async ({ page, browser, sites }) => {
  await page.goto(`${shop}/products/skerry-kettle-blue`);
  await answerCookies({ page });
  await page.getByRole('spinbutton', { name: 'Quantity' }).fill('2');
  await page.getByRole('button', { name: 'Add to basket' }).click();
  await expect(page.getByRole('status')).toHaveText('Added to your basket.');
  await page.getByRole('spinbutton', { name: 'Quantity of Skerry Kettle' }).fill('3');
  await page.getByRole('button', { name: 'Update Skerry Kettle' }).click();
  await expect(page.locator('[data-subtotal]')).toHaveText('£89.70');

  const other = await browser.newContext();
  const otherPage = await other.newPage();
  await otherPage.goto(`${shop}/basket`);
  await expect(otherPage.getByText('Your basket is empty.')).toBeVisible();
  await other.close();
  expect(sites.state('shop')).toMatchObject({ baskets: [{ session: '1', lines: [{ sku: 'K105', quantity: 3, unitPence: 2990 }] }] });

  await page.getByRole('button', { name: 'Remove Skerry Kettle' }).click();
  await expect(page.getByText('Your basket is empty.')).toBeVisible();
  expect(sites.state('shop')).toMatchObject({ baskets: [] });
});

test('a gift note is asked for in a dialog, kept with the basket, and can be refused', async ({ page, sites }) => {
  await page.goto(`${shop}/products/skerry-kettle-blue`);
  await answerCookies({ page });
  await page.getByRole('button', { name: 'Add to basket' }).click();
  const answers: (string | null)[] = [null, '  For <Ada> & co  ', 'x'.repeat(81)];
  const asked: string[] = [];
  page.on('dialog', dialog => {
    asked.push(`${dialog.type()}: ${dialog.message()} [${dialog.defaultValue()}]`);
    const answer = answers.shift() ?? null;
    return answer === null ? dialog.dismiss() : dialog.accept(answer);
  });
  await page.getByRole('button', { name: 'Add a gift note' }).click();
  await page.getByRole('button', { name: 'Add a gift note' }).click();
  await expect(page.getByRole('status')).toHaveText('Your gift note has been saved.');
  await expect(page.locator('[data-gift-note]')).toHaveText('For <Ada> & co');
  expect(await axeFindings(page), 'basket with a note').toEqual([]);
  await page.getByRole('button', { name: 'Change the gift note' }).click();
  await expect(page.getByRole('status')).toHaveText('A gift note has at most 80 characters.');
  expect(sites.requests('shop').filter(({ path }) => path === '/basket/note')).toHaveLength(2);
  expect(sites.state('shop')).toMatchObject({ baskets: [{ note: 'For <Ada> & co' }] });
  expect(asked).toEqual([
    'prompt: What shall we write on the card? Up to 80 characters. []',
    'prompt: What shall we write on the card? Up to 80 characters. []',
    'prompt: What shall we write on the card? Up to 80 characters. [For <Ada> & co]',
  ]);
});

test('a list of results can be saved as a file that says more than the list', async ({ page }) => {
  await page.goto(`${library}/search?subject=Cookery&format=Large+print&sort=newest`);
  await answerCookies({ page });
  await settled(page);
  const saving = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save all results as a file (CSV)' }).click();
  const saved = await saving;
  expect(saved.suggestedFilename()).toBe('wickerby-books.csv');
  expect(readFileSync(await saved.path(), 'utf8').split('\r\n')).toEqual([
    'Title,Author,Edition,Year,Format,Language,Subject,Pages,Shelf mark,Available now at',
    expect.stringMatching(/^The Salt Cellar,Ismail Corrigale,.*,375,[^,]*,Central; Harbour; Millbrook$/),
    expect.stringMatching(/^A Kettle and a Camp Stove,Hamish Thorncroft,.*,611,[^,]*,Harbour; Millbrook$/),
    '',
  ]);
  await page.goto(`${library}/search?q=nothing+like+this`);
  await settled(page);
  await expect(page.getByRole('link', { name: /^Save all/ })).toHaveCount(0);
});

test('more than there is cannot be bought, and sold-out things not at all', async ({ page, sites }) => {
  await page.goto(`${shop}/products/brook-kettle-blue`);
  await answerCookies({ page });
  await expect(page.getByRole('button', { name: 'Add to basket' })).toHaveCount(0);
  await page.evaluate(async () => {
    for (const body of ['sku=K103&quantity=1', 'sku=K105&quantity=9']) {
      await fetch('/basket/add', { method: 'POST', body: new URLSearchParams(body) });
    }
  });
  expect(sites.state('shop')).toMatchObject({ baskets: [{ lines: [{ sku: 'K105', quantity: 4 }] }] });
});

test('the checkout names what is missing and then takes the order', async ({ page, sites }) => {
  await page.goto(`${shop}/products/skerry-kettle-blue`);
  await answerCookies({ page });
  await page.getByRole('button', { name: 'Add to basket' }).click();
  await page.getByRole('link', { name: 'Go to checkout' }).click();
  await fillCheckout(page);
  await page.getByRole('textbox', { name: 'Email address' }).fill('ada.quill');
  await page.getByRole('checkbox', { name: /^I have read the terms/ }).uncheck();
  await page.getByRole('button', { name: 'Place order' }).click();
  await expect(page.getByRole('alert')).toBeFocused();
  await expect(page.getByRole('alert').getByRole('link')).toHaveText([
    'Enter an email address like name@example.com.',
    'Accept the terms to place the order.',
  ]);
  await expect(page.getByRole('textbox', { name: 'Full name' })).toHaveValue('Ada Quill');
  expect(sites.state('shop')).toMatchObject({ orders: [] });

  await fillCheckout(page);
  await page.getByRole('button', { name: 'Place order' }).click();
  await expect(page.locator('[data-order-number]')).toHaveText('CB-1001');
  await expect(page.locator('[data-total]')).toHaveText('£33.85');
  expect(sites.state('shop')).toMatchObject({ baskets: [], orders: [{ number: 'CB-1001', totalPence: 3385, delivery: 'standard' }] });
});

test('the catalogue is searched, narrowed and paged', async ({ page }) => {
  await page.goto(`${library}/`);
  await answerCookies({ page, choice: 'Accept all' });
  await page.getByRole('searchbox', { name: 'Search the catalogue' }).fill('lamp');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(page.getByText('Loading results…')).toBeVisible();
  await expect(page.locator('.book h2').first()).toHaveText('The Last Lamplighter');
  await page.getByRole('link', { name: 'Clear all filters' }).click();
  await expect(count(page)).toHaveText('200 results, page 1 of 20');
  await page.getByRole('checkbox', { name: 'Astronomy' }).check();
  await expect(count(page)).toHaveText('18 results, page 1 of 2');
  await page.getByRole('link', { name: 'Page 2' }).click();
  await expect(page.locator('.book')).toHaveCount(8);
  await page.getByRole('group', { name: 'Available now at' }).getByRole('checkbox', { name: 'Central' }).check();
  await page.getByRole('spinbutton', { name: 'From' }).fill('1990');
  await page.getByRole('button', { name: 'Search' }).click();
  await expect(count(page)).toHaveText('7 results');
});

test('a book leads to its other editions and, in a new tab, to its place', async ({ page, context }) => {
  await page.goto(`${library}/books/1034`);
  await answerCookies({ page });
  await expect(page.getByRole('row', { name: 'Shelf mark 749.63 MAR 2009' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Other editions' }).getByRole('link')).toHaveCount(3);
  const opened = context.waitForEvent('page');
  await page.getByRole('link', { name: /on the floor plan/ }).click();
  await expect((await opened).locator('[data-place]')).toHaveText('Shelf mark 749.63 MAR 2009 stands on the second floor, bay 8.');
});

test('a reservation is checked, placed once per card, and can be cancelled', async ({ page, sites }) => {
  await page.goto(`${library}/books/1034/reserve`);
  await answerCookies({ page });
  await fillReservation(page);
  await page.getByRole('textbox', { name: 'Library card number' }).fill('40213');
  await page.getByRole('button', { name: 'Reserve' }).click();
  await expect(page.getByRole('alert')).toContainText('Enter a card number like WL-00000.');
  await page.getByRole('textbox', { name: 'Library card number' }).fill('WL-40213');
  await page.getByRole('button', { name: 'Reserve' }).click();
  await expect(page.locator('[data-reservation-number]')).toHaveText('R-2001');

  await page.goto(`${library}/books/1034/reserve`);
  await fillReservation(page);
  await page.getByRole('button', { name: 'Reserve' }).click();
  await expect(page.getByRole('alert')).toContainText('This card has reserved this book already.');
  expect(sites.state('library')).toMatchObject({ reservations: [{ number: 'R-2001', book: { id: '1034' }, card: 'WL-40213' }] });

  await page.goto(`${library}/reservations`);
  await page.getByRole('button', { name: 'Cancel R-2001' }).click();
  await expect(page.getByText('You have no reservations.')).toBeVisible();
  expect(sites.state('library')).toMatchObject({ reservations: [] });
});

test('the keyboard is enough: banner, skip link, filter, product, basket', async ({ page, sites }) => {
  const { keyboard } = page;
  await page.goto(`${shop}/products?category=kettles&colour=blue&sort=price-up`);
  await expect(page.getByRole('button', { name: 'Accept all' })).toBeFocused();
  await keyboard.press('Tab');
  await keyboard.press('Tab');
  await expect(page.locator('.site :focus'), 'the page below the banner cannot be reached').toHaveCount(0);
  await page.getByRole('button', { name: 'Only necessary' }).focus();
  await keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toBeFocused();

  const inStock = page.getByRole('checkbox', { name: 'In stock only' });
  await tabTo(page, 'In stock only');
  await keyboard.press('Space');
  await expect(inStock).toBeChecked();
  await expect(names(page).first()).toHaveText('Tarn Mini Kettle, blue');
  await tabTo(page, 'Skerry Kettle, blue');
  await keyboard.press('Enter');
  await expect(page).toHaveURL(`${shop}/products/skerry-kettle-blue`);
  await keyboard.press('Tab');
  await expect(page.getByRole('link', { name: 'Skip to the content' })).toBeFocused();
  await keyboard.press('Enter');
  await tabTo(page, 'Add to basket');
  await keyboard.press('Enter');
  await expect(page).toHaveURL(/\/basket/);
  expect(sites.state('shop')).toMatchObject({ baskets: [{ lines: [{ sku: 'K105' }] }] });
});

/** Presses Tab until the focus is on the control of this name; fails when it is not met. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab');
    const label = await page.evaluate(() => {
      const focused = document.activeElement as (HTMLElement & { labels?: NodeListOf<HTMLElement> }) | null;
      return (focused?.labels?.[0] ?? focused)?.textContent?.trim();
    });
    if (label === name) return;
  }
  throw new Error(`"${name}" cannot be reached with the Tab key`);
}

async function fillCheckout(page: Page): Promise<void> {
  const values = {
    'Full name': 'Ada Quill',
    'Email address': 'ada.quill@example.com',
    'Street and number': '4 Mill Lane',
    Town: 'Wickerby',
    Postcode: 'WB1 4QL',
  };
  for (const [name, value] of Object.entries(values)) await page.getByRole('textbox', { name }).fill(value);
  await page.getByRole('radio', { name: /^Standard/ }).check();
  await page.getByRole('checkbox', { name: /^I have read the terms/ }).check();
}

async function fillReservation(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Full name' }).fill('Tom Ferrant');
  await page.getByRole('textbox', { name: 'Library card number' }).fill('WL-40213');
  await page.getByRole('radio', { name: 'Harbour' }).check();
  await page.getByRole('radio', { name: 'Email' }).check();
}
