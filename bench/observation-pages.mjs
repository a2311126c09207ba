/**
 * Pages of the shape that observation budgets are stated for: `D` a sign-in form, `A` a shop page with 151 controls, `B` and `C`
 * the same with a table of 200 and 2,000 rows.
 *
 * @param {'A' | 'B' | 'C' | 'D'} name
 */
export function observationPage(name) {
  if (name === 'D') return signIn;
  const rows = { A: 0, B: 200, C: 2_000 }[name];
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Bench shop</title>
<style>body{font:14px sans-serif;margin:16px}ul{list-style:none;display:flex;flex-wrap:wrap;gap:8px}.grid{display:grid;grid-template-columns:repeat(4,1fr);gap:12px}td,th{border:1px solid #ddd;padding:2px 6px}</style>
<header><h1>Bench shop</h1><nav aria-label="Main"><ul>${times(20, i => `<li><a href="/cat/${i}">Category ${kinds[i % 5]} ${i + 1}</a></li>`)}</ul></nav></header>
<main><h2>Your details</h2><form id="f" onsubmit="event.preventDefault();msg.textContent='Submitted'">
${fields.map((field, i) => `<p><label for="f${i}">Field ${field}</label><input id="f${i}" placeholder="Enter value ${i + 1}"></p>`).join('')}
${selects.map((select, s) => `<p><label for="s${s}">${select}</label><select id="s${s}">${times(6, i => `<option>Option ${s + 1}.${i + 1}</option>`)}</select></p>`).join('')}
<fieldset><legend>Filters</legend>${times(12, i => `<label><input type="checkbox" id="c${i}"${i % 5 ? '' : ' checked'}> Filter ${i + 1}</label>`)}</fieldset>
<fieldset><legend>Delivery</legend>${times(8, i => `<label><input type="radio" name="r" id="r${i}"${i ? '' : ' checked'}> Delivery ${i + 1}</label>`)}</fieldset>
<button type="submit">Submit details</button></form><p id="msg" role="status"></p><p>Cart: <span id="cart">0</span></p>
<h2>Products</h2><section class="grid" aria-label="Products">${times(24, product)}</section>
<nav aria-label="Pages">${times(10, i => `<button>Page ${i + 1}</button>`)}</nav>${rows ? table(rows) : ''}</main>
<footer><ul>${times(13, i => `<li><a href="/foot/${i}">Footer link ${i + 1}</a></li>`)}</ul></footer>
<script>let n=0;function add(){n++;cart.textContent=n}</script>`;
}

const signIn =
  '<!doctype html><html lang="en"><title>Sign in</title><h1>Sign in</h1><form><label for=u>Username</label><input id=u><label for=p>Password</label><input id=p type=password><label><input type=checkbox> Remember me</label><button>Sign in</button></form><a href="/forgot">Forgot password?</a>';
const kinds = ['Shoes', 'Hats', 'Bags', 'Coats', 'Belts'];
const fields = ['First name', 'Last name', 'Email', 'Phone', 'Street', 'City', 'Postcode', 'Company', 'VAT number', 'Notes'];
const selects = ['Sort by', 'Brand', 'Color', 'Size', 'Country'];
const customers = ['Smith', 'Garcia', 'Chen', 'Okafor', 'Ivanova'];
const statuses = ['Paid', 'Pending', 'Refunded', 'Failed'];
const cities = ['Berlin', 'Lagos', 'Austin', 'Osaka'];

/** @param {number} i */
function product(i) {
  return `<article><h3><a href="/p/${i}">Product number ${i + 1} with a medium long name</a></h3><p>Price <span class="price">$${(19.99 + 7 * i).toFixed(2)}</span> <span>${(3 + (i % 20) / 10).toFixed(1)} stars, ${5 + 13 * i} reviews</span></p><button onclick="add()">Add to cart</button><button aria-label="Save product ${i + 1}">♡</button></article>`;
}

/** @param {number} rows */
function table(rows) {
  const row = i =>
    `<tr><td>${1000 + i}</td><td>2026-${two((i % 12) + 1)}-${two((i % 28) + 1)}</td><td>Customer ${customers[i % 5]} ${i + 1}</td><td>${statuses[i % 4]}</td><td>$${(12.5 * (i + 1)).toFixed(2)}</td><td>${cities[i % 4]}</td></tr>`;
  return `<h2>Orders</h2><table><thead><tr>${['ID', 'Date', 'Customer', 'Status', 'Total', 'City'].map(head => `<th>${head}</th>`).join('')}</tr></thead><tbody>${times(rows, row)}</tbody></table>`;
}

function times(count, text) {
  return Array.from({ length: count }, (_, index) => text(index)).join('');
}

function two(number) {
  return String(number).padStart(2, '0');
}
